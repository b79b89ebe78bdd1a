"""javac in one JVM for as long as this process lives: most of what it takes otherwise is its own start, again and again."""

import atexit
import base64
import binascii
import subprocess
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_COMPILER = Path(__file__).parent / "java" / "compiler" / "Compiler.java"
_JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def problem_of(java: str, arguments: Sequence[str]) -> str | None:
    """The errors that javac reported; None: it has compiled. `java`: the path of a JDK's."""
    return _compiler(java).problem_of(arguments)


class _Compiler:
    """It ends with this process, at the latest: its standard input is closed then."""

    def __init__(self, java: str) -> None:
        self._process = subprocess.Popen(
            [java, *_JVM, str(_COMPILER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._one_at_a_time = threading.Lock()
        atexit.register(self.end)

    def problem_of(self, arguments: Sequence[str]) -> str | None:
        with self._one_at_a_time:
            self._process.stdin.write("\t".join(arguments) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().strip()
        if answer == "ok":
            return None
        try:
            return base64.b64decode(answer, validate=True).decode() or "The compiler has ended."
        except binascii.Error:
            return answer

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


@cache
def _compiler(java: str) -> _Compiler:
    return _Compiler(java)
