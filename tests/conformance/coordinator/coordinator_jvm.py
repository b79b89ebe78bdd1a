"""A JVM with the group coordinator of one Kafka release on its class path, which computes targets (`java/coordinator`)."""

from tests.conformance.jvm import JAVA, LeaderJvm
from tests.harness.kafka import maven

_JSON = "com.fasterxml.jackson.core:jackson-databind:2.19.0"
_WITH_TESTS = ("kafka-group-coordinator", "kafka-coordinator-common", "kafka-clients", "kafka-server-common")
SINCE_4_4 = (4, 4)


def coordinator_jars(release: str) -> str:
    """The class path of the group coordinator of that release, with simple logging and what the driver reads JSON with."""
    return maven.classpath(
        f"org.apache.kafka:kafka-group-coordinator:{release}",
        "com.fasterxml.jackson.core:jackson-databind:2.19.0",
        maven.SIMPLE_LOGGING,
    )


class CoordinatorJvm(LeaderJvm):
    """`with CoordinatorJvm("4.3.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        jars = coordinator_jars(release)
        minor = tuple(int(part) for part in release.split(".")[:2])
        common = maven.compile_java(JAVA / "coordinator", jars, release=17)
        own = "sticky_target_since_4_4" if minor >= SINCE_4_4 else "sticky_target_until_4_3"
        classes = maven.compile_java(JAVA / own, f"{common}:{jars}", release=17)
        self._command = self._java(f"{common}:{classes}:{jars}", "holdfast.Coordinator", options, heap)


class WholeCoordinatorJvm(LeaderJvm):
    """The whole coordinator of a release, with a clock of its own (`java/whole_coordinator`): a script in, what it shows out.

    Kafka publishes the tests of its coordinator, in which `GroupMetadataManagerTestContext` is; they need Mockito and JUnit.
    """

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        tests = (f"org.apache.kafka:{artifact}:{release}:test" for artifact in _WITH_TESTS)
        mains = (f"org.apache.kafka:{artifact}:{release}" for artifact in _WITH_TESTS)
        others = ("org.mockito:mockito-core:5.20.0", "org.junit.jupiter:junit-jupiter-api:5.13.4", _JSON, maven.SIMPLE_LOGGING)
        jars = maven.classpath(*mains, *tests, *others)
        classes = maven.compile_java(JAVA / "whole_coordinator", jars, release=17)
        self._command = self._java(f"{classes}:{jars}", "org.apache.kafka.coordinator.group.WholeCoordinator", options, heap)


class CoordinatorWireJvm(LeaderJvm):
    """Kafka's own classes of messages and records of a release (`java/coordinator_wire`): JSON in, bytes out."""

    def __init__(self, release: str) -> None:
        self.release = release
        jars = coordinator_jars(release)
        classes = maven.compile_java(JAVA / "coordinator_wire", jars, release=17)
        self._command = self._java(f"{classes}:{jars}", "holdfast.CoordinatorWire", (), "512m")
