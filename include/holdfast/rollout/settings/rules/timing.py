"""Sessions and heartbeats: of the members, or of the group where its broker assigns."""

from dataclasses import dataclass, replace

from holdfast.kafka.clients.configs import Client
from holdfast.kafka.coordinator.config_keys import HEARTBEAT_INTERVAL, SESSION_TIMEOUT, number_of
from holdfast.rollout.settings.predicates import any_below, given_as, given_number
from holdfast.rollout.settings.rule import (
    Fix,
    Hit,
    Measure,
    Question,
    Releases,
    Rule,
    Scenario,
    Where,
    World,
    Worth,
    java,
    kip,
    ms,
    page,
    seconds,
)
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import Kind

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
LEAVE = "internal.leave.group.on.close"
BROKERS_LEAST_MS, BROKERS_MOST_MS = 6_000, 1_800_000
"""`group.min.session.timeout.ms` and `group.max.session.timeout.ms` unless the brokers have others."""
LONG_SESSION_MS = 180_000
USUAL_SESSION_MS, USUAL_HEARTBEAT_MS = 45_000, 3_000
THIRD = 3
GROUPS_MOST_MS, GROUPS_LIMIT = 60_000, "group.streams.max.session.timeout.ms"
BROKERS_LIMIT = "group.max.session.timeout.ms"
_GROUP_HEARTBEAT_MS, _EAGER_GROUP_MS, _EAGER_MS = 5_000, 1_000, 100
_ROOM = 2
"""A session holds twice the start-up time."""


def _both(subject: Subject) -> tuple[int, int] | None:
    """Session and heartbeat, where the application says one of them."""
    if all(subject.settings.given(subject.consumer, key) is None for key in (SESSION, HEARTBEAT)):
        return None
    session, heartbeat = (subject.settings.assumed(subject.consumer, key) for key in (SESSION, HEARTBEAT))
    return None if session is None or heartbeat is None else (session, heartbeat)


def _heartbeat_not_below(subject: Subject) -> Hit | None:
    both = _both(subject)
    return None if both is None or both[1] < both[0] else _of_both(subject, *both)


def _heartbeat_over_a_third(subject: Subject) -> Hit | None:
    both = _both(subject)
    return None if both is None or both[1] * THIRD <= both[0] or both[1] >= both[0] else _of_both(subject, *both)


def _of_both(subject: Subject, session: int, heartbeat: int) -> Hit:
    settings = tuple(subject.settings.shown(subject.consumer, key) for key in (SESSION, HEARTBEAT))
    if session < USUAL_SESSION_MS:
        fix = Fix(given_as(subject, subject.consumer, SESSION), str(USUAL_SESSION_MS))
        fixes = (fix,) if heartbeat * THIRD <= USUAL_SESSION_MS else (fix, _usual_heartbeat(subject))
    else:
        fixes = (_usual_heartbeat(subject),)
    return Hit(settings, fixes, (ms("session", session), ms("heartbeat", heartbeat)))


def _usual_heartbeat(subject: Subject) -> Fix:
    return Fix(given_as(subject, subject.consumer, HEARTBEAT), str(USUAL_HEARTBEAT_MS))


def _outside_of_the_brokers(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, SESSION)
    if value is None or BROKERS_LEAST_MS <= value <= BROKERS_MOST_MS or value == subject.session_ms:
        return None
    return _of_session(subject, value)


def _session_long(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, SESSION)
    value = subject.session_ms if value is None else value
    if value is None or value <= LONG_SESSION_MS or value > BROKERS_MOST_MS or subject.static:
        return None
    fixed = World(((SESSION, USUAL_SESSION_MS),))
    return _of_session(subject, value, (Question(Scenario.LOSS, Measure.STOPPED_S, Worth(LONG_SESSION_MS / 1000), fixed),))


def _session_short(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, SESSION)
    default = subject.settings.default(subject.consumer, SESSION)
    if value is None or default is None or not BROKERS_LEAST_MS <= value < min(10_000, default):
        return None
    return _of_session(subject, value)


def _of_session(subject: Subject, value: int, questions: tuple[Question, ...] = ()) -> Hit:
    fix = Fix(given_as(subject, subject.consumer, SESSION), str(USUAL_SESSION_MS))
    return Hit((subject.settings.shown(subject.consumer, SESSION),), (fix,), (ms("session", value),), questions)


def _leaves(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.MAIN, LEAVE)
    if found is None or found.value is not True or not subject.has_state:
        return None
    question = Question(Scenario.RESTART, Measure.REBALANCES, Worth(2), World(), World(away=True))
    return Hit((subject.settings.shown(Client.MAIN, LEAVE),), (Fix(found.given_as or LEAVE, None),), (), (question,))


def _does_not_leave(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.PLAIN, LEAVE)
    session = subject.settings.assumed(Client.PLAIN, SESSION)
    if found is None or found.value is not False or session is None:
        return None
    return Hit((subject.settings.shown(Client.PLAIN, LEAVE),), (Fix(LEAVE, None),), (ms("session", session),))


def _group_heartbeat(subject: Subject) -> Hit | None:
    session, heartbeat = (number_of(subject.group_config, key) for key in (SESSION_TIMEOUT, HEARTBEAT_INTERVAL))
    if heartbeat * THIRD <= session:
        return None
    settings = tuple(shown(key, subject.group_config.get(key)) for key in (SESSION_TIMEOUT, HEARTBEAT_INTERVAL))
    fixes = [Fix(HEARTBEAT_INTERVAL, str(_GROUP_HEARTBEAT_MS), Where.GROUP)]
    if session < THIRD * _GROUP_HEARTBEAT_MS:
        fixes.append(Fix(SESSION_TIMEOUT, str(USUAL_SESSION_MS), Where.GROUP))
    return Hit(settings, tuple(fixes), (ms("session", session), ms("heartbeat", heartbeat)))


def _group_heartbeats_eager(subject: Subject) -> Hit | None:
    heartbeat = number_of(subject.group_config, HEARTBEAT_INTERVAL)
    if heartbeat >= _EAGER_GROUP_MS:
        return None
    fix = Fix(HEARTBEAT_INTERVAL, str(_GROUP_HEARTBEAT_MS), Where.GROUP)
    return Hit((shown(HEARTBEAT_INTERVAL, heartbeat),), (fix,), (ms("heartbeat", heartbeat),))


def _group_session_long(subject: Subject) -> Hit | None:
    session = number_of(subject.group_config, SESSION_TIMEOUT)
    if session <= LONG_SESSION_MS or subject.all_static:
        return None
    fix = Fix(SESSION_TIMEOUT, str(USUAL_SESSION_MS), Where.GROUP)
    question = Question(
        Scenario.LOSS, Measure.STOPPED_S, Worth(LONG_SESSION_MS / 1000), World(((SESSION_TIMEOUT, USUAL_SESSION_MS),))
    )
    return Hit((shown(SESSION_TIMEOUT, session),), (fix,), (ms("session", session),), (question,))


def _group_session_short(subject: Subject) -> Hit | None:
    session, start_up = number_of(subject.group_config, SESSION_TIMEOUT), subject.policy.start_up_s
    if not subject.all_static or session / 1000 >= start_up:
        return None
    limit = Limit(GROUPS_MOST_MS, GROUPS_LIMIT, number_of(subject.group_config, HEARTBEAT_INTERVAL))
    fixes = longer_than_a_restart(subject, Fix(SESSION_TIMEOUT, None, Where.GROUP), limit)
    return Hit((shown(SESSION_TIMEOUT, session),), fixes, (ms("session", session), seconds("start_up", start_up)))


@dataclass(frozen=True, slots=True)
class Limit:
    """What brokers allow a session to last, unless `key` says otherwise; and the heartbeat interval: a session counts from the last
    heartbeat."""

    most_ms: int
    key: str
    heartbeat_ms: int


def restart_session_ms(subject: Subject, limit: Limit) -> int:
    """A session that holds twice the start-up time, within what brokers allow where one start-up fits into that."""
    least = 1_000 * subject.policy.start_up_s + limit.heartbeat_ms
    better = max(USUAL_SESSION_MS, 1_000 * _ROOM * subject.policy.start_up_s, least)
    return min(better, limit.most_ms) if least <= limit.most_ms else better


def longer_than_a_restart(subject: Subject, session: Fix, limit: Limit) -> tuple[Fix, ...]:
    """The session of a static member; and the brokers' limit where it is beyond that."""
    better = str(restart_session_ms(subject, limit))
    fix = replace(session, value=better)
    return (fix,) if int(better) <= limit.most_ms else (fix, Fix(limit.key, better, Where.BROKER))


_OF_MEMBERS = (Kind.CLASSIC, Kind.CONSUMERS)
_PAGE = page("Consumer Configs: heartbeat.interval.ms")
_SESSION_PAGE = page("Consumer Configs: session.timeout.ms")
_HAS_LEAVE = Releases(fixed_in="4.2.0")
RULES = (
    Rule(
        "heartbeat-not-below-session",
        "No consumer starts: heartbeat.interval.ms ({heartbeat}) must be lower than session.timeout.ms ({session}).",
        (SESSION, HEARTBEAT),
        (_PAGE, java("Heartbeat")),
        _heartbeat_not_below,
        _OF_MEMBERS,
    ),
    Rule(
        "heartbeat-over-a-third",
        "A heartbeat each {heartbeat} leaves room for few of them in a session of {session}: one that is late or lost removes the"
        " member, and the group rebalances. Kafka asks for a third at most.",
        (SESSION, HEARTBEAT),
        (_PAGE,),
        _heartbeat_over_a_third,
        _OF_MEMBERS,
    ),
    Rule(
        "session-outside-of-the-brokers",
        "Brokers refuse members whose session ({session}) is not between group.min.session.timeout.ms (6 s unless set) and"
        " group.max.session.timeout.ms (30 min unless set): InvalidSessionTimeoutException.",
        (SESSION,),
        (page("Broker Configs: group.min.session.timeout.ms"), _SESSION_PAGE),
        _outside_of_the_brokers,
        _OF_MEMBERS,
    ),
    Rule(
        "session-long",
        "A client that dies is noticed {session} later; its partitions have no owner until then. Kafka Streams does not leave the"
        " group"
        " when it is closed, so that a stop takes as long.",
        (SESSION,),
        (_SESSION_PAGE, kip(735)),
        _session_long,
        _OF_MEMBERS,
    ),
    Rule(
        "session-short",
        "A pause of {session}, by garbage collection or a slow network, removes a member, and the group rebalances twice. Kafka"
        " raised"
        " the default to 45 s for that reason.",
        (SESSION,),
        (kip(735),),
        _session_short,
        _OF_MEMBERS,
    ),
    Rule(
        "leaves-on-close",
        "A client that is closed leaves the group, which moves its tasks at once, and again when it is back. Streams turns that"
        " off.",
        (LEAVE,),
        (java("StreamsConfig"), kip(812)),
        _leaves,
        releases=_HAS_LEAVE,
    ),
    Rule(
        "does-not-leave-on-close",
        "A consumer that is closed stays in the group until its session is over: nothing reads its partitions for {session}.",
        (LEAVE,),
        (java("ConsumerConfig"), kip(62)),
        _does_not_leave,
        (Kind.CONSUMERS,),
        _HAS_LEAVE,
    ),
    Rule(
        "heartbeats-eager",
        "Each member asks the coordinator every {value}: that many requests of all groups are for one broker's partition of"
        " __consumer_offsets.",
        (HEARTBEAT,),
        (_PAGE, kip(62)),
        any_below((Client.MAIN, Client.PLAIN), HEARTBEAT, _EAGER_MS, str(USUAL_HEARTBEAT_MS)),
        _OF_MEMBERS,
    ),
    Rule(
        "group-heartbeats-eager",
        "Each member asks the coordinator every {heartbeat}; brokers allow 5 s and more unless"
        " group.streams.min.heartbeat.interval.ms says otherwise.",
        (HEARTBEAT_INTERVAL,),
        (kip(1071), page("Broker Configs: group.streams.min.heartbeat.interval.ms")),
        _group_heartbeats_eager,
        (Kind.BY_BROKER,),
    ),
    Rule(
        "group-heartbeat-over-a-third",
        "A heartbeat each {heartbeat} leaves room for few of them in a session of {session}: one that is late or lost removes the"
        " member, and the coordinator assigns anew.",
        (SESSION_TIMEOUT, HEARTBEAT_INTERVAL),
        (kip(1071), page("Group Configs: streams.heartbeat.interval.ms")),
        _group_heartbeat,
        (Kind.BY_BROKER,),
    ),
    Rule(
        "group-session-long",
        "A client that dies is noticed {session} later; its tasks have no owner until then.",
        (SESSION_TIMEOUT,),
        (kip(1071), page("Group Configs: streams.session.timeout.ms")),
        _group_session_long,
        (Kind.BY_BROKER,),
    ),
    Rule(
        "group-session-below-restart",
        "A static member that restarts takes {start_up} to come back (of the policy), longer than the session of {session} allows.",
        (SESSION_TIMEOUT,),
        (kip(1071), page("Group Configs: streams.session.timeout.ms")),
        _group_session_short,
        (Kind.BY_BROKER,),
    ),
)
