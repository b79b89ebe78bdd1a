"""A process for which the rights on files and folders count, even if the tests are root's."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AS_ANYBODY = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
"""Of util-linux: root without the capability to pass over them."""


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Nothing can be made in the folder itself while the context is open, nor below it."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for one in folders:
        one.chmod(0o555)
    try:
        yield folder
    finally:
        for one in folders:
            one.chmod(0o755)


def command(*parts: str) -> tuple[str, ...]:
    """The command for such a process."""
    return (*_AS_ANYBODY, *parts) if os.geteuid() == 0 else parts


def run(*parts: str, timeout_s: float = 600, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*parts), capture_output=True, text=True, timeout=timeout_s, check=False, env={**os.environ, **environment}
    )
