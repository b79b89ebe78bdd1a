"""What is compiled gives what the same functions give as they are written, and what is worked out one by one.

In a process of its own: in this one nothing is compiled (`tests/conftest.py`). The package is in a zip there, as on executors.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.spark.package_zip import package_zip
from holdfast.kafka.streams.compiled import jit

ROOT = Path(__file__).resolve().parents[6]


@pytest.mark.starts
@pytest.mark.thorough
def test_compiled_walks_equal_rebalances_one_by_one(tmp_path: Path) -> None:
    name, content = package_zip()
    (tmp_path / name).write_bytes(content)
    script = tmp_path / "walks.py"
    script.write_text((Path(__file__).parent / "losses_both_ways.py").read_text())

    ran = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"HOLDFAST_COMPILED": "1", "PYTHONPATH": f"{tmp_path / name}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["from"].startswith(str(tmp_path / name))
    assert told["compiled"]
    assert told["different"] == []
    assert told["losses"] >= 20
    assert told["rebalances"] > 500


def test_in_this_process_nothing_is_compiled() -> None:
    assert not jit.is_installed()


def test_other_sources_have_another_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    jit.folder.cache_clear()
    mine, more = jit.folder(), jit.folder(("holdfast.errors",))
    jit.folder.cache_clear()

    assert mine != more
    assert Path(mine).parent == tmp_path


@pytest.mark.parametrize("others", [False, True])
def test_a_user_without_a_home_keeps_it_in_a_temporary_folder_that_no_other_user_can_write_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, others: bool
) -> None:
    """As on Spark's executors. What others could have put there is not run."""
    (tmp_path / "file").write_text("")
    home, place = tmp_path / "file" / "no home", tmp_path / f"holdfast-{os.getuid()}"
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if others:
        place.mkdir()
        place.chmod(0o777)
    jit.folder.cache_clear()
    found = Path(jit.folder())
    jit.folder.cache_clear()

    assert found.parent == (home / ".cache" / "holdfast" / "numba" if others else place / "numba")
