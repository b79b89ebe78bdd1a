"""The group protocols of KIP-848 and KIP-1071: settings that they refuse, or pass over."""

from holdfast.kafka.clients.configs import CONSUMER_PROTOCOL, STREAMS_PROTOCOL, Client
from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, INITIAL_DELAY, number_of
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, Where, java, kip, ms, page, text
from holdfast.rollout.settings.rules.warm_ups import ASSIGNOR, LAG, PROBING, PUBLIC, WARMUPS
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import Kind

PROTOCOL, STRATEGY = "group.protocol", "partition.assignment.strategy"
REMOTE = "group.remote.assignor"
SESSION, HEARTBEAT, STANDBYS = "session.timeout.ms", "heartbeat.interval.ms", "num.standby.replicas"
_PASSED_OVER = {
    STANDBYS: "streams.num.standby.replicas",
    SESSION: "streams.session.timeout.ms",
    HEARTBEAT: "streams.heartbeat.interval.ms",
    WARMUPS: None,
    LAG: None,
    PROBING: None,
    ASSIGNOR: None,
    PUBLIC: None,
    "rack.aware.assignment.strategy": None,
    "rack.aware.assignment.tags": None,
}
"""What the application says of it, and what the group's config for the same is called, if there is one."""
_PREFIXES = ("", "consumer.", "main.consumer.")
_OF_CLIENTS = ("sticky", "cooperative-sticky", "cooperative", "roundrobin", "round-robin")
"""Names of assignors that consumers have, and brokers do not."""
_LONG_DELAY_MS, _LONG_INTERVAL_MS = 60_000, 10_000


def _is_streams(subject: Subject) -> bool:
    found = subject.settings.given(Client.STREAMS, PROTOCOL)
    return subject.kind is Kind.BY_BROKER or (found is not None and str(found.value).lower() == STREAMS_PROTOCOL)


def _passed_over(subject: Subject) -> Hit | None:
    given = [name for key in _PASSED_OVER for prefix in _PREFIXES if (name := f"{prefix}{key}") in subject.settings.properties]
    given = [name for name in given if not _is_default(subject, name)]
    if not given or not _is_streams(subject):
        return None
    fixes = []
    for name in given:
        of_group = next(one for key, one in _PASSED_OVER.items() if name.endswith(key))
        value = str(subject.settings.properties[name])
        fixes.append(Fix(name, None))
        if of_group is not None:
            fixes.append(Fix(of_group, value, Where.GROUP))
    settings = tuple(shown(name, subject.settings.properties[name]) for name in given)
    return Hit(settings, tuple(fixes), (text("keys", ", ".join(given)),))


def _is_default(subject: Subject, name: str) -> bool:
    default = subject.settings.default(Client.STREAMS, name)
    return default is not None and str(subject.settings.properties[name]).strip() == str(default)


def _refused(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.PLAIN, PROTOCOL)
    given = [key for key in (SESSION, HEARTBEAT, STRATEGY) if key in subject.settings.properties]
    if found is None or str(found.value).lower() != CONSUMER_PROTOCOL or not given:
        return None
    settings = tuple(shown(key, subject.settings.properties[key]) for key in given)
    return Hit(settings, tuple(Fix(key, None) for key in given), (text("keys", ", ".join(given)),))


def _strategy_of_streams(subject: Subject) -> Hit | None:
    given = [name for prefix in _PREFIXES if (name := f"{prefix}{STRATEGY}") in subject.settings.properties]
    if not given:
        return None
    return Hit(tuple(shown(one, subject.settings.properties[one]) for one in given), tuple(Fix(one, None) for one in given))


def _remote_without_protocol(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.PLAIN, REMOTE)
    protocol = subject.settings.given(Client.PLAIN, PROTOCOL)
    if found is None or (protocol is not None and str(protocol.value).lower() == CONSUMER_PROTOCOL):
        return None
    return Hit((subject.settings.shown(Client.PLAIN, REMOTE),), (Fix(REMOTE, None),))


def _later(subject: Subject) -> Hit | None:
    given = [name for prefix in _PREFIXES if (name := f"{prefix}{PROTOCOL}") in subject.settings.properties]
    given = [
        name for name in given if str(subject.settings.properties[name]).strip().lower() in (STREAMS_PROTOCOL, CONSUMER_PROTOCOL)
    ]
    if not given:
        return None
    return Hit(tuple(shown(one, subject.settings.properties[one]) for one in given), tuple(Fix(one, None) for one in given))


def _remote_of_clients(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.PLAIN, REMOTE)
    if found is None or str(found.value).strip().lower() not in _OF_CLIENTS:
        return None
    return Hit((subject.settings.shown(Client.PLAIN, REMOTE),), (Fix(REMOTE, None),), (text("value", str(found.value).strip()),))


def _delay(subject: Subject) -> Hit | None:
    return _long_of_group(subject, INITIAL_DELAY, _LONG_DELAY_MS, "3000")


def _interval(subject: Subject) -> Hit | None:
    return _long_of_group(subject, ASSIGNMENT_INTERVAL, _LONG_INTERVAL_MS, "1000")


def _long_of_group(subject: Subject, key: str, most: int, usual: str) -> Hit | None:
    value = number_of(subject.group_config, key)
    if value <= most:
        return None
    return Hit((shown(key, value),), (Fix(key, usual, Where.GROUP),), (ms("value", value),))


_GROUP_PAGE = page("Streams developer guide: Streams Rebalance Protocol")
RULES = (
    Rule(
        "settings-of-the-classic-protocol",
        "With group.protocol=streams the brokers decide: {keys} of the application have no effect.",
        (PROTOCOL, *_PASSED_OVER),
        (kip(1071), _GROUP_PAGE),
        _passed_over,
        (Kind.CLASSIC, Kind.BY_BROKER),
    ),
    Rule(
        "settings-refused-by-the-consumer-protocol",
        "No consumer starts: {keys} cannot be set with group.protocol=consumer; the group's configs at the brokers have them.",
        (PROTOCOL, SESSION, HEARTBEAT, STRATEGY),
        (kip(848), java("ConsumerConfig")),
        _refused,
        (Kind.CONSUMERS,),
        Releases("4.0"),
    ),
    Rule(
        "strategy-without-effect",
        "Streams assigns by its own StreamsPartitionAssignor, or by the brokers: what the application sets has no effect.",
        (STRATEGY,),
        (page("Streams developer guide: Kafka consumers, producer and admin client configuration parameters"),),
        _strategy_of_streams,
        (Kind.CLASSIC, Kind.BY_BROKER),
    ),
    Rule(
        "remote-assignor-of-the-classic-protocol",
        "No consumer starts: group.remote.assignor cannot be set unless group.protocol is consumer.",
        (PROTOCOL, REMOTE),
        (kip(848), java("ConsumerConfig")),
        _remote_without_protocol,
        (Kind.CONSUMERS,),
        Releases("3.9"),
    ),
    Rule(
        "protocol-of-a-later-release",
        "Streams has no other protocol than the classic one before 4.1: up to 3.9 the value goes to its consumers, which do not"
        " start or are assigned by the brokers, and 4.0 leaves it out.",
        (PROTOCOL,),
        (kip(1071), java("StreamsConfig")),
        _later,
        (Kind.CLASSIC,),
        Releases("3.7", "4.1"),
    ),
    Rule(
        "remote-assignor-of-clients",
        "Brokers have the assignors uniform and range, and {value} is none of them (unless group.consumer.assignors names one): no"
        " consumer joins (UnsupportedAssignorException).",
        (REMOTE,),
        (kip(848), page("Consumer Configs: group.remote.assignor")),
        _remote_of_clients,
        (Kind.CONSUMERS,),
        Releases("3.7"),
    ),
    Rule(
        "initial-delay-long",
        "An application that starts waits for {value} before its first task is assigned.",
        (INITIAL_DELAY,),
        (kip(1071), page("Group Configs: streams.initial.rebalance.delay.ms")),
        _delay,
        (Kind.BY_BROKER,),
    ),
    Rule(
        "assignment-interval-long",
        "Between two assignments are {value}: tasks of a client that dies right after one have no owner for as long.",
        (ASSIGNMENT_INTERVAL,),
        (kip(1263), page("Group Configs: streams.assignment.interval.ms")),
        _interval,
        (Kind.BY_BROKER,),
    ),
)
