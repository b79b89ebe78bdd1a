"""A process that a test starts, whose output is kept in a file, and that surely ends with the test; and ports for servers."""

import contextlib
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import psutil

_TETHER = Path(__file__).with_name("tether.py")
_LOG_TAIL_LINES = 60
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 15_000
_given: set[int] = set()


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
            self._tether.wait(120)
        self._let_go()

    def _let_go(self) -> None:
        assert self._tether.stdin is not None
        self._tether.stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def free_ports(number: int) -> tuple[int, ...]:
    """Ports of 127.0.0.1 on which nothing listens, none of them given before in this process.

    They are below those that the kernel gives to connections and to servers on port 0: such a one may have been taken by anything
    when its server has at last started. Other processes choose at random too, so that two hardly choose the same.
    """
    found: list[int] = []
    candidates = range(_LOWEST, int(_RANGE.read_text().split()[0]))
    while len(found) < number:
        port = random.SystemRandom().choice(candidates)
        if port not in _given and _is_free(port):
            found.append(port)
            _given.add(port)
    return tuple(found)


def free_port() -> int:
    return free_ports(1)[0]


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
