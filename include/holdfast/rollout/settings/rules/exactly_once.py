"""Exactly-once: transactions, their timeouts, and what an application may not set with it."""

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import above, below, given_as, given_number
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, Where, issue, java, kip, ms, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import STREAMS, Kind

GUARANTEE, COMMIT, TIMEOUT = "processing.guarantee", "commit.interval.ms", "transaction.timeout.ms"
AUTO_COMMIT, TRANSACTIONAL_ID = "auto.commit.interval.ms", "transactional.id"
IN_FLIGHT, IDEMPOTENCE, ISOLATION = "max.in.flight.requests.per.connection", "enable.idempotence", "isolation.level"
BROKERS_MOST_MS = 900_000
"""`transaction.max.timeout.ms` unless the brokers have another."""
_LONG_MS, _SHORT_MS, _USUAL_MS, _USUAL_COMMIT_MS = 300_000, 5_000, 10_000, 100
MOST_IN_FLIGHT = 5
_RARE_COMMIT_MS, _EAGER_COMMIT_MS, _EAGER_ONCE_MS = 300_000, 100, 10


def _commit_over_timeout(subject: Subject) -> Hit | None:
    commit, timeout = subject.settings.assumed(Client.STREAMS, COMMIT), subject.settings.assumed(Client.PRODUCER, TIMEOUT)
    if not subject.settings.exactly_once or commit is None or timeout is None or commit <= timeout:
        return None
    shown = (subject.settings.shown(Client.STREAMS, COMMIT), subject.settings.shown(Client.PRODUCER, TIMEOUT))
    fix = (
        Fix(COMMIT, str(_USUAL_COMMIT_MS))
        if given_number(subject, Client.STREAMS, COMMIT) is not None
        else Fix(given_as(subject, Client.PRODUCER, TIMEOUT), str(_USUAL_MS))
    )
    return Hit(shown, (fix,), (ms("commit", commit), ms("timeout", timeout)))


def _timeout(subject: Subject) -> int | None:
    return given_number(subject, Client.PRODUCER, TIMEOUT)


def _over_brokers(subject: Subject) -> Hit | None:
    value = _timeout(subject)
    return _of_timeout(subject, value) if value is not None and value > BROKERS_MOST_MS and subject.settings.exactly_once else None


def _long(subject: Subject) -> Hit | None:
    value = _timeout(subject)
    fits = value is not None and _LONG_MS <= value <= BROKERS_MOST_MS
    return _of_timeout(subject, value) if value is not None and fits and subject.settings.exactly_once else None


def _short(subject: Subject) -> Hit | None:
    value = _timeout(subject)
    return _of_timeout(subject, value) if value is not None and value < _SHORT_MS and subject.settings.exactly_once else None


def _of_timeout(subject: Subject, value: int) -> Hit:
    fix = Fix(given_as(subject, Client.PRODUCER, TIMEOUT), str(_USUAL_MS))
    return Hit((subject.settings.shown(Client.PRODUCER, TIMEOUT),), (fix,), (ms("timeout", value),))


def _first_version(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.STREAMS, GUARANTEE)
    if found is None or str(found.value) != "exactly_once":
        return None
    threads = sum(member.threads for member in subject.members)
    figures = (text("producers", f"{subject.tasks:,}"), text("threads", f"{threads:,}"))
    return Hit((subject.settings.shown(Client.STREAMS, GUARANTEE),), (Fix(GUARANTEE, "exactly_once_v2"),), figures)


def _in_flight(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.PRODUCER, IN_FLIGHT)
    if value is None or value <= MOST_IN_FLIGHT or not subject.settings.exactly_once:
        return None
    fix = Fix(given_as(subject, Client.PRODUCER, IN_FLIGHT), str(MOST_IN_FLIGHT))
    return Hit((subject.settings.shown(Client.PRODUCER, IN_FLIGHT),), (fix,))


def _commits_rarely(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, COMMIT)
    return (
        None if value is None or value <= _RARE_COMMIT_MS or subject.settings.exactly_once else _of_commit(subject, value, 30_000)
    )


def _commits_eagerly(subject: Subject) -> Hit | None:
    value, once = given_number(subject, Client.STREAMS, COMMIT), subject.settings.exactly_once
    if value is None or value >= (_EAGER_ONCE_MS if once else _EAGER_COMMIT_MS):
        return None
    return _of_commit(subject, value, _USUAL_COMMIT_MS if once else 30_000)


def _of_commit(subject: Subject, value: int, usual: int) -> Hit:
    return Hit((subject.settings.shown(Client.STREAMS, COMMIT),), (Fix(COMMIT, str(usual)),), (ms("commit", value),))


def _state_lost(subject: Subject) -> Hit | None:
    """KAFKA-14172: a cache that is not cleared when a standby becomes the active task."""
    standbys = subject.settings.assumed(Client.STREAMS, "num.standby.replicas")
    caches = [subject.settings.assumed(Client.STREAMS, key) for key in ("statestore.cache.max.bytes", "cache.max.bytes.buffering")]
    if not subject.settings.exactly_once or not standbys or 0 in caches or not subject.stateful:
        return None
    return Hit((subject.settings.shown(Client.STREAMS, GUARANTEE),), (Fix("Kafka Streams", "3.4.1", Where.RELEASE),))


def _transactional(subject: Subject) -> Hit | None:
    """A producer with a transactional ID refuses to send outside of a transaction, and without exactly-once Streams begins none."""
    found = subject.settings.given(Client.PRODUCER, TRANSACTIONAL_ID)
    if found is None or subject.settings.exactly_once:
        return None
    return Hit((subject.settings.shown(Client.PRODUCER, TRANSACTIONAL_ID),), (Fix(found.given_as or TRANSACTIONAL_ID, None),))


def _overridden(subject: Subject) -> Hit | None:
    """What an application sets against exactly-once, and Streams takes out."""
    if not subject.settings.exactly_once:
        return None
    against = (
        ("producer.", IDEMPOTENCE, "false"),
        ("consumer.", ISOLATION, "read_uncommitted"),
        ("producer.", TRANSACTIONAL_ID, None),
    )
    for prefix, key, value in against:
        for name in (f"{prefix}{key}", key):
            given = str(subject.settings.properties.get(name) or "").strip()
            if given and value in (given.lower(), None):
                return Hit((shown(name, given),), (Fix(name, None),))
    return None


_TIMEOUT_PAGE = page("Producer Configs: transaction.timeout.ms")
RULES = (
    Rule(
        "commit-interval-over-transaction-timeout",
        "A transaction is open for {commit}, and is aborted after {timeout}. From 3.0 on the application does not start; before,"
        " each"
        " transaction of a quiet task times out.",
        (COMMIT, TIMEOUT),
        (issue(12499), page("Streams Configs: commit.interval.ms")),
        _commit_over_timeout,
        STREAMS,
    ),
    Rule(
        "transaction-timeout-over-the-brokers",
        "Brokers refuse a transaction timeout of more than transaction.max.timeout.ms (15 min unless set): with {timeout} no"
        " producer"
        " starts.",
        (TIMEOUT,),
        (kip(98), page("Broker Configs: transaction.max.timeout.ms")),
        _over_brokers,
        STREAMS,
    ),
    Rule(
        "transaction-timeout-long",
        "The transaction of a client that died stays open for {timeout}: readers with read_committed, and the client that takes"
        " over its"
        " tasks, wait as long.",
        (TIMEOUT,),
        (_TIMEOUT_PAGE, kip(447), issue(9809)),
        _long,
        STREAMS,
    ),
    Rule(
        "transaction-timeout-short",
        "A pause of {timeout} aborts a transaction; its task is closed, its state is deleted, and it restores from the beginning.",
        (TIMEOUT,),
        (_TIMEOUT_PAGE, issue(9809)),
        _short,
        STREAMS,
    ),
    Rule(
        "exactly-once-of-the-first-version",
        "It has a producer for each task ({producers} here) where exactly_once_v2 has one for each thread ({threads}); deprecated,"
        " and"
        " gone in 4.0.",
        (GUARANTEE,),
        (kip(447), kip(732)),
        _first_version,
        releases=Releases("3.0", "4.0"),
    ),
    Rule(
        "exactly-once-in-flight",
        "No producer starts: with exactly-once, max.in.flight.requests.per.connection is 5 at most.",
        (IN_FLIGHT,),
        (page("Producer Configs: max.in.flight.requests.per.connection"), java("StreamsConfig")),
        _in_flight,
        STREAMS,
    ),
    Rule(
        "commits-rarely",
        "A task that fails, or moves without being closed, processes up to {commit} of records once more; repartition topics keep"
        " them as"
        " long.",
        (COMMIT,),
        (page("Streams Configs: commit.interval.ms"),),
        _commits_rarely,
        STREAMS,
    ),
    Rule(
        "auto-commits-eagerly",
        "With each poll that is {value} after the last commit a consumer commits again: as many requests and records for the"
        " group's coordinator.",
        (AUTO_COMMIT,),
        (page("Consumer Configs: auto.commit.interval.ms"),),
        below(Client.PLAIN, AUTO_COMMIT, _EAGER_COMMIT_MS, "5000"),
        (Kind.CONSUMERS,),
    ),
    Rule(
        "auto-commits-rarely",
        "A consumer that fails, or gives its partitions away without being closed, has read up to {value} of records that are read"
        " once more.",
        (AUTO_COMMIT,),
        (page("Consumer Configs: auto.commit.interval.ms"),),
        above(Client.PLAIN, AUTO_COMMIT, _RARE_COMMIT_MS, "5000"),
        (Kind.CONSUMERS,),
    ),
    Rule(
        "commits-eagerly",
        "Each thread flushes its stores and commits every {commit}, of which most is work for the brokers' offsets topic.",
        (COMMIT,),
        (page("Streams Configs: commit.interval.ms"),),
        _commits_eagerly,
        STREAMS,
    ),
    Rule(
        "idempotence-without-effect",
        "Streams decides it with exactly-once: what the application sets is left out, with a warning in the log.",
        (IDEMPOTENCE, ISOLATION, TRANSACTIONAL_ID),
        (
            page("Streams developer guide: Kafka consumers, producer and admin client configuration parameters"),
            java("StreamsConfig"),
        ),
        _overridden,
        STREAMS,
    ),
    Rule(
        "transactional-id-without-exactly-once",
        "A producer with a transactional ID sends in transactions only, and Streams begins none without exactly-once: the first"
        " record fails (IllegalStateException).",
        (TRANSACTIONAL_ID, GUARANTEE),
        (java("TransactionManager"), page("Producer Configs: transactional.id")),
        _transactional,
        STREAMS,
    ),
    Rule(
        "state-lost-by-cache",
        "A store's cache is not cleared when a standby becomes the active task: with exactly-once, standbys and a cache, old"
        " values come"
        " back after a rebalance.",
        (GUARANTEE, "num.standby.replicas"),
        (issue(14172),),
        _state_lost,
        releases=Releases("3.1.1", "3.4.1"),
    ),
)
