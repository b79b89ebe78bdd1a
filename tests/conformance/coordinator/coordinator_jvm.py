"""A JVM with the group coordinator of one Kafka release on its class path, which computes targets (`java/coordinator`)."""

from tests.conformance.jvm import JAVA, LeaderJvm
from tests.harness.kafka import maven

_WITH_TESTS = ("kafka-group-coordinator", "kafka-coordinator-common", "kafka-clients", "kafka-server-common")
PUBLISHED = ("4.2.1", "4.3.1")
SINCE_4_2, SINCE_4_4 = (4, 2), (4, 4)


def _minor(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def coordinator_jars(release: str) -> str:
    """The class path of the group coordinator of that release, with simple logging and what the driver reads JSON with."""
    return maven.classpath(f"org.apache.kafka:kafka-group-coordinator:{release}", maven.JACKSON, maven.SIMPLE_LOGGING)


class CoordinatorJvm(LeaderJvm):
    """`with CoordinatorJvm("4.3.1") as jvm: jvm.ask(questions)`."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        jars = coordinator_jars(release)
        common = maven.compile_java(JAVA / "coordinator", jars, release=17)
        own = "sticky_target_since_4_4" if _minor(release) >= SINCE_4_4 else "sticky_target_until_4_3"
        classes = maven.compile_java(JAVA / own, f"{common}:{jars}", release=17)
        self._command = [*self._java(f"{common}:{classes}:{jars}", "holdfast.Coordinator", options, heap), "StickyTarget"]


class ConsumerTargetJvm(LeaderJvm):
    """The same for consumer groups, of any release from 4.0.0 on (`java/consumer_target`)."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        jars = coordinator_jars(release)
        classes = maven.compile_java((JAVA / "coordinator", JAVA / "consumer_target"), jars, release=17)
        self._command = [*self._java(f"{classes}:{jars}", "holdfast.Coordinator", options, heap), "ConsumerTarget"]


class WholeCoordinatorJvm(LeaderJvm):
    """The whole coordinator of a release, with a clock of its own (`java/whole_coordinator`): a script in, what it shows out.

    Kafka publishes the tests of the coordinators of `PUBLISHED`, in which `GroupMetadataManagerTestContext` is; they need Mockito
    and JUnit. Those of the other releases run in a context of Holdfast's (`java/own_context`), which `own` asks for by name.
    """

    def __init__(self, release: str, *options: str, own: bool = False, heap: str = "512m") -> None:
        self.release = release
        published = release in PUBLISHED and not own
        jars = _with_tests(release) if published else coordinator_jars(release)
        context = JAVA / ("published_context" if published else "own_context")
        sources = (JAVA / "whole_coordinator", JAVA / "coordinator_parts", context)
        classes = maven.compile_java(sources, jars, release=17)
        self._command = self._java(f"{classes}:{jars}", "org.apache.kafka.coordinator.group.WholeCoordinator", options, heap)


class WholeConsumerGroupsJvm(LeaderJvm):
    """The whole coordinator of a release from 4.0 on, with a clock of its own, and a consumer group
    (`java/whole_consumer_groups`)."""

    def __init__(self, release: str, *options: str, heap: str = "512m") -> None:
        self.release = release
        jars = coordinator_jars(release)
        before = _minor(release) < SINCE_4_2
        context = (JAVA / "own_context_until_4_1",) if before else (JAVA / "own_context", JAVA / "whole_coordinator")
        sources = (*context, JAVA / "coordinator_parts", JAVA / "whole_consumer_groups")
        classes = maven.compile_java(sources, jars, release=17)
        self._command = self._java(f"{classes}:{jars}", "org.apache.kafka.coordinator.group.WholeConsumerGroups", options, heap)


def _with_tests(release: str) -> str:
    tests = (f"org.apache.kafka:{artifact}:{release}:test" for artifact in _WITH_TESTS)
    mains = (f"org.apache.kafka:{artifact}:{release}" for artifact in _WITH_TESTS)
    others = ("org.mockito:mockito-core:5.20.0", "org.junit.jupiter:junit-jupiter-api:5.13.4", maven.JACKSON, maven.SIMPLE_LOGGING)
    return maven.classpath(*mains, *tests, *others)


class CoordinatorWireJvm(LeaderJvm):
    """Kafka's own classes of messages and records of a release (`java/coordinator_wire`): JSON in, bytes out."""

    def __init__(self, release: str) -> None:
        self.release = release
        jars = coordinator_jars(release)
        classes = maven.compile_java(JAVA / "coordinator_wire", jars, release=17)
        self._command = self._java(f"{classes}:{jars}", "holdfast.CoordinatorWire", (), "512m")
