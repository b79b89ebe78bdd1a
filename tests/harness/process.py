"""A process that a test starts, whose output is kept in a file, and that surely ends with the test."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import psutil

_TETHER = Path(__file__).with_name("tether.py")
_LOG_TAIL_LINES = 60


class ProcessTrouble(RuntimeError):
    """A process ended, or did not get ready in time. The message ends with the last lines of its log."""


class TetheredProcess:
    """A command whose output goes to `log`. It ends when `stop` or `kill` is called, or when this Python process is gone."""

    def __init__(self, name: str, command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            self._tether = subprocess.Popen(
                [sys.executable, "-S", "-E", str(_TETHER), *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=None if env is None else dict(env),
                start_new_session=True,  # Ctrl-C reaches the tests first, and they stop what they started in their order
            )

    @property
    def pid(self) -> int:
        """The tether's; the command is its child."""
        return self._tether.pid

    @property
    def running(self) -> bool:
        return self._tether.poll() is None

    def wait_until(self, ready: Callable[[], bool], what: str, timeout_s: float) -> None:
        """Return once `ready()`; raise ProcessTrouble when the process ends or the time is up before."""
        deadline = time.monotonic() + timeout_s
        while not ready():
            if not self.running:
                raise ProcessTrouble(f"{self.name} ended with status {self._tether.returncode} before {what}.\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise ProcessTrouble(f"{self.name}: not {what} within {timeout_s:g} s.\n{self.log_tail()}")
            time.sleep(0.05)

    def logged(self, text: str) -> bool:
        return text in self.log_text()

    def log_text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def log_tail(self) -> str:
        lines = self.log_text().splitlines()[-_LOG_TAIL_LINES:]
        return "\n".join([f"--- the end of the log of {self.name} ---", *lines])

    def stop(self, timeout_s: float = 15) -> None:
        """SIGTERM, and SIGKILL when that was not enough. Returns when the process is gone; may be called again."""
        if self.running:
            self._tether.terminate()
            try:
                self._tether.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()
        self._let_go()

    def kill(self) -> None:
        """SIGKILL, as a machine that loses power. Returns when the process is gone; may be called again."""
        if self.running:
            for each in psutil.Process(self.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
            self._tether.wait(10)
        self._let_go()

    def _let_go(self) -> None:
        assert self._tether.stdin is not None
        self._tether.stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
