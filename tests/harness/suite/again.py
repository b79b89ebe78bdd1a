"""Files with failed tests run once more, alone: a test that fails again is broken, one that passes depends on chance or load.

pytest -o cache_dir=FOLDER …               # leaves there which tests failed
python -m tests.harness.suite.again FOLDER       # status 0 where all of their files pass now
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

MOST_FILES = 2
"""More are no accident: they are not run again."""


def files_of(failed: Sequence[str]) -> list[str]:
    """The files of tests like `tests/a/test_b.py::TestC::test_d`, each once, in their order."""
    return list(dict.fromkeys(test.split("::")[0] for test in failed))


def again(folder: Path) -> int:
    """Run the files again; 1 where a test fails again, where too many failed before, or where none did (pytest itself failed)."""
    found = folder / "v/cache/lastfailed"
    failed = list(json.loads(found.read_text())) if found.exists() else []
    files = files_of(failed)
    if not 1 <= len(files) <= MOST_FILES:
        return 1
    print(f"Failed: {', '.join(failed)}. Their files run again, alone.", flush=True)
    status = pytest.main(["-o", f"cache_dir={folder / 'again'}", *files])
    if status == pytest.ExitCode.OK:
        print(f"FAILED ONCE, passed when run again, alone, to be fixed: {', '.join(failed)}")
    return int(status != pytest.ExitCode.OK)


if __name__ == "__main__":
    sys.exit(again(Path(sys.argv[1])))
