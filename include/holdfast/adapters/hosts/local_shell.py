"""The seam `Shell` on this machine: the same scripts without a network, for tests, and for local folders."""

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO

from holdfast.adapters.hosts.shell import MOST_STDERR, ScriptEnd, refuse_unsendable, too_late, too_much
from holdfast.errors import HostTrouble

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PART = 65_536


class LocalShell:
    """`sh` of this machine, without the environment of this process: no secret in it is handed on. `program`: another sh."""

    shown = "this machine"

    def __init__(self, program: tuple[str, ...] = ("sh",), path: str = _PATH) -> None:
        self._program = program
        self._path = path

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        refuse_unsendable(script, arguments, self.shown)
        ends_at = time.monotonic() + limit_s
        try:
            process = subprocess.Popen(
                (*self._program, "-c", script, "holdfast", *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={"PATH": self._path, "LC_ALL": "C"},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise HostTrouble(f"{self.shown}: sh cannot be started: {error.strerror}", begun=False) from None
        try:
            with process:
                try:
                    return _Talk(process, stdin, most_bytes, self.shown).until(ends_at, limit_s)
                finally:
                    _end(process)
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The script and all that it has started: they are a session of their own, which has the script's number."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class _Talk:
    """Standard input is written and both outputs are read as they come, so that none waits for another."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, most_bytes: int, shown: str) -> None:
        self._process, self._stdin, self._most_bytes, self._shown = process, memoryview(stdin), most_bytes, shown
        self._stdout, self._stderr = bytearray(), bytearray()

    def until(self, ends_at: float, limit_s: float) -> ScriptEnd:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as ready:
            for pipe, event in (
                (process.stdin, selectors.EVENT_WRITE),
                (process.stdout, selectors.EVENT_READ),
                (process.stderr, selectors.EVENT_READ),
            ):
                os.set_blocking(pipe.fileno(), False)
                ready.register(pipe, event, pipe)
            while ready.get_map():
                remaining_s = ends_at - time.monotonic()
                if remaining_s <= 0:
                    raise too_late(self._shown, limit_s)
                for key, _ in ready.select(remaining_s):
                    if not self._more(key.data):
                        ready.unregister(key.data)
                        key.data.close()
        try:
            status = process.wait(max(0.0, ends_at - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise too_late(self._shown, limit_s) from None
        return ScriptEnd(status if status >= 0 else 128 - status, bytes(self._stdout), bytes(self._stderr))

    def _more(self, pipe: IO[bytes]) -> bool:
        """Move what can be moved now; False: this pipe is at its end."""
        try:
            if pipe is self._process.stdin:
                self._stdin = self._stdin[os.write(pipe.fileno(), self._stdin[:_PART]) :] if self._stdin else self._stdin
                return bool(self._stdin)
            part = os.read(pipe.fileno(), _PART)
        except BlockingIOError:
            return True
        except BrokenPipeError:  # the script has read as much as it wanted
            return False
        if pipe is self._process.stderr:
            self._stderr += part[: MOST_STDERR - len(self._stderr)]
        else:
            self._stdout += part
            if len(self._stdout) > self._most_bytes:
                raise too_much(self._shown, self._most_bytes)
        return bool(part)
