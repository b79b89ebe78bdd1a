"""The command line in this process: what it prints, and how it ends, without a new interpreter for each of hundreds of calls.

What only a process of its own can show (a pipe that is closed, a disk that is full) starts one: `tests/unit/cli/test_main.py`.
"""

import contextlib
import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from holdfast.cli import progress
from holdfast.cli.main import main


def run(arguments: Sequence[str | Path], folder: Path | None = None, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """`holdfast …` in that folder (or the current one), as a pipe would have it: no terminal on any side, and no word of progress,
    which a slow machine would print."""
    given = [str(each) for each in arguments]
    out, err = _pipe(), _pipe()
    with (
        contextlib.chdir(folder or "."),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(progress, "PATIENCE_S", 3600.0),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")),
    ):
        try:
            main(given)
        except SystemExit as end:
            status = end.code
        else:
            raise AssertionError("main() ends with a status")
    assert isinstance(status, int), status
    return subprocess.CompletedProcess(["holdfast", *given], status, _text(out), _text(err))


def _pipe() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(pipe: io.TextIOWrapper) -> str:
    pipe.flush()
    content = pipe.buffer.getvalue()  # type: ignore[attr-defined]
    return content.decode().replace("\r\n", "\n")
