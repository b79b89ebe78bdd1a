"""A JVM with one Kafka release on its class path, which assigns plain consumer groups (`java/consumer`)."""

from tests.conformance.jvm import JAVA, LeaderJvm
from tests.harness import maven


class PlainJvm(LeaderJvm):
    """`with PlainJvm("3.9.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        jars = maven.kafka_streams(release)
        classes = maven.compile_java(JAVA / "consumer", jars)
        self._command = [
            maven.java_tool("java"),
            f"-Xmx{heap}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # hundreds of small groups: the fast compiler alone is quicker here
            *options,
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            f"{classes}:{jars}",
            "holdfast.PlainGroups",
        ]
