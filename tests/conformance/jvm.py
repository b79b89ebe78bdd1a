"""A JVM with one Kafka release on its class path, which answers questions a line at a time (`java/leader`)."""

import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.harness import maven

JAVA = Path(__file__).parent / "java"


class LeaderJvm:
    """`with LeaderJvm("3.9.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str) -> None:
        self.release = release
        jars = maven.kafka_streams(release)
        topics = JAVA / ("topics_2_6" if release.startswith("2.6.") else "topics_since_2_7")
        classes = [maven.compile_java(JAVA / "leader", jars), maven.compile_java(topics, jars)]
        self._command = [
            maven.java_tool("java"),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # hundreds of small groups: the fast compiler alone is quicker here
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            ":".join([*map(str, classes), jars]),
            "holdfast.Driver",
        ]

    def __enter__(self) -> Self:
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.stdin.close()
        if self._process.wait(timeout=60) and kind is None:
            raise RuntimeError(f"The JVM of Kafka {self.release} ended badly: {self._said()}")
        self._errors.close()

    def ask(self, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """One answer a question, in order; what the release throws is an answer: `{"error": "Class: message"}`."""
        answers = []
        for question in questions:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"The JVM of Kafka {self.release} ended: {self._said()}")
            answers.append(json.loads(line))
        return answers

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-4000:]
