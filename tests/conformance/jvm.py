"""A JVM with one Kafka release on its class path, which answers questions a line at a time (`java/leader`)."""

import collections
import contextlib
import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.harness.kafka import maven

JAVA = Path(__file__).parent / "java"
AHEAD = 8
"""This many questions are put before the first answer is fetched: the JVM works while Holdfast does."""


class LeaderJvm:
    """`with LeaderJvm("3.9.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str, *options: str) -> None:
        """`options` are the JVM's own, e.g. `-XX:+UnlockExperimentalVMOptions -XX:hashCode=2`."""
        self._prepare(release, ("leader", *_own_sources(release)), "holdfast.Driver", options)

    def _prepare(self, release: str, folders: Iterable[str], main: str, options: Iterable[str], heap: str = "512m") -> None:
        self.release = release
        jars = maven.kafka_streams(release)
        classes = [maven.compile_java(JAVA / folder, jars) for folder in folders]
        self._command = self._java(":".join([*map(str, classes), jars]), main, options, heap)

    @staticmethod
    def _java(classpath: str, main: str, options: Iterable[str], heap: str) -> list[str]:
        return [
            maven.java_tool("java"),
            f"-Xmx{heap}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # hundreds of small groups: the fast compiler alone is quicker here
            *options,
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            classpath,
            main,
        ]

    def __enter__(self) -> Self:
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )
        self._broken = False
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)  # so that neither side waits for the other's full pipe
        self._reader.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        if self._process.wait(timeout=600) and kind is None:
            raise RuntimeError(f"The JVM of Kafka {self.release} ended badly: {self._said()}")
        self._reader.join()
        self._process.stdout.close()
        self._errors.close()

    def _line(self, question: Any) -> str:
        return json.dumps(question)

    def ask(self, questions: Iterable[Any]) -> list[dict[str, Any]]:
        """One answer a question, in order; what the release throws is an answer: `{"error": "Class: message"}`."""
        return [answer for _, answer in self.answers(questions)]

    def answers(self, questions: Iterable[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Every question with its answer, in order. Exhaust or close it before the next call."""
        waiting: collections.deque[Any] = collections.deque()
        try:
            for question in questions:
                self._process.stdin.write(self._line(question) + "\n")
                self._process.stdin.flush()
                waiting.append(question)
                if len(waiting) > AHEAD:
                    yield waiting.popleft(), self._answer()
            while waiting:
                yield waiting.popleft(), self._answer()
        finally:
            while waiting and not self._broken:
                waiting.popleft()
                self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._answers.get()
        if not line.startswith("{"):
            self._broken = True
            raise RuntimeError(f"The JVM of Kafka {self.release} ended: {line}{self._said()}")
        return json.loads(line)

    def _read(self) -> None:
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-4000:]


def _own_sources(release: str) -> tuple[str, str]:
    """The folders of what has to be compiled for this release: classes of Holdfast's that extend Kafka's."""
    minor = tuple(int(part) for part in release.split(".")[:2])
    sticky = "sticky_until_3_5" if minor < (3, 6) else "sticky_3_6" if minor < (3, 8) else "sticky_since_3_8"
    return "topics_2_6" if minor == (2, 6) else "topics_since_2_7", sticky
