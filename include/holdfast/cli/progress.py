"""Progress on standard error for work that takes long: animated on a terminal, else one line."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE_S = 2.0


class _Teller:
    """Speaks at most once off a terminal. A timer's thread begins it, so a lock separates that from the end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._ended = False
        self._status: Status | None = None
        self._timer = threading.Timer(PATIENCE_S, self._begin)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def say(self, what: str) -> None:
        with self._lock:
            self._what = what
            if self._status is not None:
                self._status.update(f"{what} …")

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._status is not None:
                self._status.stop()

    def _begin(self) -> None:
        with self._lock:
            if self._ended:
                return
            if sys.stderr.isatty():
                from rich.console import Console  # only needed here

                self._status = Console(stderr=True, markup=False).status(f"{self._what} …")
                self._status.start()
            else:
                click.echo(f"{self._what} …", err=True)


@contextmanager
def telling(what: str) -> Iterator[Callable[[str], None]]:
    """Around something that may take long. What is yielded hears what is being done now."""
    teller = _Teller(what)
    teller.start()
    try:
        yield teller.say
    finally:
        teller.end()
