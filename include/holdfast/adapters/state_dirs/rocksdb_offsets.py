"""The column family `offsets` of RocksDB stores, read without touching them, by a process with limits (`rocksdb_child`).

A damaged store can make native code wait for ever with the interpreter in its hands, take all memory, or crash. That happens in a
child, which is killed; its answers are bounded JSON. One child reads all stores of a state directory; after a death, another one.
"""

import base64
import binascii
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from holdfast.adapters.state_dirs import folders
from holdfast.errors import StatePathTrouble

STORE_LIMIT_S = 5.0
"""What one store may take to be opened and read."""
LIMIT_S = 60.0
"""What all stores of a directory may take."""
_START_LIMIT_S = 30.0
_LONGEST_ANSWER = 64 * 1024 * 1024
_MOST_CHILDREN = 20
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "TMPDIR", "LANG", "SYSTEMROOT")
"""Of the environment: no secret is passed on to what reads foreign files."""

Entries = list[tuple[bytes, bytes]]


def read(store: Path) -> Entries | None:
    """All entries of one store; None where it has no such column family (no release from 4.3 on has had it open).

    Raise StatePathTrouble where it cannot be opened.
    """
    with folders.opened(str(store.parent)) as parent, StoreReader(parent.descriptor) as reader:
        return reader.read(store.name)


class StoreReader:
    """Reads stores below the directory of that descriptor. To be used in a `with`; no child is left behind.

    `in_part`: the stores are copies without most of their tables; one that is needed and is not there is an error all the same.
    """

    def __init__(
        self,
        root: int,
        store_limit_s: float | None = None,
        limit_s: float = LIMIT_S,
        *,
        in_part: bool = False,
        most_children: int = _MOST_CHILDREN,
    ) -> None:
        self._root = root
        self._in_part = in_part
        self._most_children = most_children
        self._store_limit_s = store_limit_s or STORE_LIMIT_S
        self._ends_at = time.monotonic() + limit_s
        self._limit_s = limit_s
        self._child: subprocess.Popen[bytes] | None = None
        self._children = 0
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._open.close()

    def read(self, store: str) -> Entries | None:
        """As `read` does, of the store at that path below the directory."""
        remaining_s = self._ends_at - time.monotonic()
        if remaining_s <= 0:
            raise StatePathTrouble(f"the RocksDB store was not read: the stores before it took {self._limit_s:g} s")
        try:
            child = self._running(remaining_s)
            assert child.stdin is not None
            with suppress(BrokenPipeError):  # why it has ended is found below
                child.stdin.write(json.dumps(store).encode() + b"\n")
                child.stdin.flush()
            answer = self._answer(child, min(self._store_limit_s, remaining_s))
        except (OSError, subprocess.SubprocessError) as error:
            self._end()
            raise StatePathTrouble(f"the RocksDB store cannot be read: no process can be started for it ({error})") from None
        except BaseException:
            self._end()
            raise
        return _entries(answer)

    def _running(self, remaining_s: float) -> subprocess.Popen[bytes]:
        if self._child is not None:
            return self._child
        if self._children >= self._most_children:
            raise StatePathTrouble(
                f"the RocksDB store was not read: {self._most_children} damaged ones before it ended their readers"
            )
        self._children += 1
        links = self._open.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-store-"))
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "MALLOC_ARENA_MAX": "2"}
        # -P: nothing is imported from the working directory.
        command = [
            sys.executable,
            "-P",
            "-m",
            "holdfast.adapters.state_dirs.rocksdb_child",
            str(self._root),
            links,
            str(int(self._limit_s) + 60),
            "in part" if self._in_part else "whole",
        ]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._root,),
            env=environment,
            cwd=links,
            start_new_session=True,
        )
        self._answer(self._child, min(_START_LIMIT_S, remaining_s))  # that it is ready: Python and a library are loaded
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], limit_s: float) -> object:
        assert child.stdout is not None
        ends_at = time.monotonic() + limit_s
        answer = bytearray()
        ready = select.poll()
        ready.register(child.stdout, select.POLLIN)
        while not answer.endswith(b"\n"):
            remaining_s = ends_at - time.monotonic()
            if remaining_s <= 0 or not ready.poll(remaining_s * 1000):
                self._end()
                raise StatePathTrouble(
                    f"the RocksDB store cannot be read: opening it took longer than {limit_s:g} s; damaged, or a slow disk"
                )
            part = os.read(child.stdout.fileno(), 1 << 20)
            if not part:
                raise StatePathTrouble(f"the RocksDB store cannot be read: its reader {self._end()}; the store is damaged")
            answer += part
            if len(answer) > _LONGEST_ANSWER:
                raise StatePathTrouble(f"the RocksDB store cannot be read: it has more than {_LONGEST_ANSWER:,} bytes of offsets")
        with suppress(ValueError, RecursionError):
            return json.loads(answer)
        return None

    def _end(self) -> str:
        """End the child, whatever it does. Return how it ended, were it not for us."""
        child, self._child = self._child, None
        if child is None:
            return "ended"
        with suppress(subprocess.TimeoutExpired):
            child.wait(5 if child.stdout is not None and _is_at_end(child) else 0)
        ended = child.poll()
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):  # in the hands of a disk that does not answer: it dies when that does
            child.wait(5)
        if ended is not None and ended < 0:
            return f"was ended by {signal.Signals(-ended).name}"
        return "ended" if ended is None else f"ended with status {ended}"


def _is_at_end(child: subprocess.Popen[bytes]) -> bool:
    assert child.stdout is not None
    ready = select.poll()
    ready.register(child.stdout, select.POLLIN)
    return any(event & select.POLLHUP for _, event in ready.poll(0))


def _entries(answer: object) -> Entries | None:
    """The child has read foreign bytes with native code: what it says is foreign, too."""
    if isinstance(answer, dict):
        problem, entries = answer.get("problem"), answer.get("entries")
        if isinstance(problem, str):
            raise StatePathTrouble(f"the RocksDB store cannot be read ({problem[:400]})")
        if entries is None:
            return None
        with suppress(ValueError, TypeError, binascii.Error):
            return [(base64.b64decode(key, validate=True), base64.b64decode(value, validate=True)) for key, value in entries]
    raise StatePathTrouble("the RocksDB store cannot be read: its reader returned invalid data; the store is damaged")
