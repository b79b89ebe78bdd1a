"""What sets and reads the settings in a client's properties file: `python properties_file.py set|read FILE`, with JSON on standard
input. The file is replaced at once, and to set the same twice is to set it once."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path(__file__)


def read(file: Path) -> dict[str, str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else ()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def write(file: Path, settings: Mapping[str, str]) -> None:
    handle, new = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.writelines(f"{key}={value}\n" for key, value in settings.items())
        out.flush()
        os.fsync(out.fileno())
    Path(new).replace(file)


def changed(file: Path, settings: Mapping[str, str | None]) -> None:
    found = read(file) | settings
    write(file, {key: value for key, value in found.items() if value is not None})


if __name__ == "__main__":
    verb, where, given = sys.argv[1], Path(sys.argv[2]), json.load(sys.stdin)
    if verb == "set":
        changed(where, given)
    else:
        print(json.dumps({key: value for key, value in read(where).items() if key in given}))
