"""A JVM with one Kafka release on its class path, which assigns consumer groups (`java/consumer`)."""

from tests.conformance.jvm import LeaderJvm


class PlainJvm(LeaderJvm):
    """`with PlainJvm("3.9.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self._prepare(release, ("consumer",), "holdfast.PlainGroups", options, heap)
