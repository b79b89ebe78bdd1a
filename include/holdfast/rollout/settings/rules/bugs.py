"""Known bugs of a release, each only where the group's settings or forecasts show that it is met."""

from holdfast.kafka.clients.configs import Client
from holdfast.kafka.release import WITHOUT_PROCESS_METADATA
from holdfast.rollout.settings.predicates import given_number
from holdfast.rollout.settings.rule import Fix, Hit, Measure, Question, Releases, Rule, Scenario, Where, World, Worth, issue, page
from holdfast.rollout.settings.rules.state import CLEANUP, SHORT_CLEANUP_MS, in_memory
from holdfast.rollout.settings.rules.warm_ups import warms_up
from holdfast.rollout.settings.subject import Subject


def _new_ids(subject: Subject) -> Hit | None:
    if not warms_up(subject) or not subject.stateful:
        return None
    question = Question(Scenario.RESTART, Measure.MOVED, Worth(1), World(), World(new_id=True))
    return Hit((), (_upgrade("2.6.2, 2.7.1 or 2.8.0"),), (), (question,))


def _orphaned_locks(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, CLEANUP)
    if value is None or value >= SHORT_CLEANUP_MS or not subject.stateful:
        return None
    return Hit((subject.settings.shown(Client.STREAMS, CLEANUP),), (_upgrade("3.7.1"), Fix(CLEANUP, "600000")))


def _memory_offsets(subject: Subject) -> Hit | None:
    key = in_memory(subject)
    if not subject.stateful or (key is None and not subject.stores_in_memory):
        return None
    settings = () if key is None else (subject.settings.shown(Client.STREAMS, key),)
    return Hit(settings, (_upgrade("4.3.2"),))


def _leak(subject: Subject) -> Hit | None:
    return (
        Hit((), (_upgrade("4.3.1"),)) if subject.stateful and in_memory(subject) is None and not subject.stores_in_memory else None
    )


def _leaking_iterators(subject: Subject) -> Hit | None:
    return Hit((), (_upgrade("4.1.1"),)) if subject.stateful else None


def _upgrade(release: str) -> Fix:
    return Fix("Kafka Streams", release, Where.RELEASE)


RULES = (
    Rule(
        "process-id-not-kept",
        "This release generates a new process ID at each start, which gives the client another rank: tasks of all clients move.",
        (),
        (issue(10716),),
        _new_ids,
        releases=Releases(only=WITHOUT_PROCESS_METADATA),
        cited=False,
    ),
    Rule(
        "locks-left-by-the-cleaner",
        "Where the cleaner and a rebalance meet, a task's directory stays locked, and the task, with all others of its thread,"
        " waits"
        " without end. The shorter state.cleanup.delay.ms, the oftener they meet.",
        (CLEANUP,),
        (issue(16025),),
        _orphaned_locks,
        releases=Releases("3.0", "3.7.1"),
    ),
    Rule(
        "offsets-of-stores-in-memory",
        "Members report offsets of stores in memory that they no longer have: the leader gives tasks to clients without their"
        " state.",
        ("default.dsl.store", "dsl.store.suppliers.class"),
        (issue(20893),),
        _memory_offsets,
        releases=Releases(only=("4.3.0", "4.3.1")),
    ),
    Rule(
        "iterators-leak-memory",
        "Range scans, session and sliding windows, stream-stream and foreign-key joins leak memory in this release; the upgrade"
        " guide asks to skip it.",
        (),
        (issue(19748), page("Streams upgrade guide: 4.1.0")),
        _leaking_iterators,
        releases=Releases(only=("4.1.0",)),
    ),
    Rule(
        "rocksdb-leaks-memory",
        "RocksDB leaks native memory in this release; the upgrade guide asks to skip it.",
        (),
        (issue(20616), page("Streams upgrade guide: 4.3.1")),
        _leak,
        releases=Releases(only=("4.3.0",)),
    ),
)
