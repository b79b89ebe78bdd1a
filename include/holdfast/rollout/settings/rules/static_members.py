"""Static membership: who has it, whether a restart fits into the session, and what makes it useless."""

from holdfast.kafka.clients.configs import Client
from holdfast.kafka.release import WITHOUT_PROCESS_METADATA
from holdfast.rollout.settings.predicates import given_as, given_number
from holdfast.rollout.settings.rule import (
    Fix,
    Hit,
    Measure,
    Question,
    Rule,
    Scenario,
    Where,
    World,
    Worth,
    issue,
    kip,
    ms,
    page,
    seconds,
    text,
)
from holdfast.rollout.settings.rules.threads import THREADS
from holdfast.rollout.settings.rules.timing import (
    BROKERS_LIMIT,
    BROKERS_MOST_MS,
    HEARTBEAT,
    SESSION,
    Limit,
    longer_than_a_restart,
    restart_session_ms,
)
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import Kind

INSTANCE = "group.instance.id"
_FIRST_BROKER_WITH_STATIC = (4, 4)
_NOTICED_MS = 60_000
"""A session that is shorter is hardly longer than Kafka's own, which any crash costs."""


def _partly(subject: Subject) -> Hit | None:
    dynamic = sum(one is None for member in subject.members for one in member.instances)
    if not subject.static or not dynamic:
        return None
    figures = (text("static", str(len(subject.static))), text("dynamic", str(dynamic)))
    return Hit((subject.settings.shown(subject.consumer, INSTANCE),), (Fix(INSTANCE, "one for each client"),), figures)


def _one_for_all(subject: Subject) -> Hit | None:
    found = subject.settings.given(subject.consumer, INSTANCE)
    value = "" if found is None else str(found.value)
    if not value or len(subject.members) < 2 or subject.static:
        return None
    key = given_as(subject, subject.consumer, INSTANCE)
    return Hit((subject.settings.shown(subject.consumer, INSTANCE),), (Fix(key, "another one for each client"),))


def _back_too_late(subject: Subject) -> Hit | None:
    session, heartbeat = (subject.settings.assumed(subject.consumer, key) for key in (SESSION, HEARTBEAT))
    session = subject.session_ms if session is None or not _says(subject) else session
    if session is None or heartbeat is None or not subject.all_static:
        return None
    start_up = subject.policy.start_up_s
    if (session - heartbeat) / 1000 >= start_up:
        return None
    limit = Limit(BROKERS_MOST_MS, BROKERS_LIMIT, heartbeat)
    better = restart_session_ms(subject, limit)
    question = Question(Scenario.RESTART, Measure.REBALANCES, Worth(1), World(((SESSION, better),), in_session=True))
    fixes = longer_than_a_restart(subject, Fix(given_as(subject, subject.consumer, SESSION), None), limit)
    figures = (ms("session", session), seconds("start_up", start_up))
    return Hit((subject.settings.shown(subject.consumer, SESSION),), fixes, figures, (question,))


def _says(subject: Subject) -> bool:
    return subject.settings.complete or subject.settings.given(subject.consumer, SESSION) is not None


def _new_id(subject: Subject) -> Hit | None:
    if not subject.all_static or subject.keeps_ids or not subject.stateful:
        return None
    question = Question(Scenario.RESTART, Measure.MOVED, Worth(1), World(in_session=True, on_disk=True), World(new_id=True))
    fixes = (
        (Fix("Kafka Streams", "2.8.0", Where.RELEASE),)
        if subject.settings.release in WITHOUT_PROCESS_METADATA
        else (Fix("default.dsl.store", "rocksDB"),)
    )
    return Hit((subject.settings.shown(subject.consumer, INSTANCE),), fixes, (), (question,))


def _threads_taken(subject: Subject) -> Hit | None:
    threads = given_number(subject, Client.STREAMS, THREADS)
    most = max((member.threads for member in subject.members if None not in member.instances), default=0)
    session = subject.session_ms or subject.settings.assumed(subject.consumer, SESSION)
    if threads is None or session is None or session <= _NOTICED_MS or not 0 < threads < most:
        return None
    figures = (ms("session", session), text("before", str(most)), text("threads", str(threads)))
    return Hit((subject.settings.shown(Client.STREAMS, THREADS),), (Fix(THREADS, str(most)),), figures)


def _refused_by_brokers(subject: Subject) -> Hit | None:
    if subject.settings.given(subject.consumer, INSTANCE) is None or subject.broker_release is None:
        return None
    if tuple(int(one) for one in subject.broker_release.split(".")[:2] if one.isdecimal()) >= _FIRST_BROKER_WITH_STATIC:
        return None
    key = given_as(subject, subject.consumer, INSTANCE)
    return Hit((subject.settings.shown(subject.consumer, INSTANCE),), (Fix(key, None),), (text("brokers", subject.broker_release),))


_KIP = kip(345)
RULES = (
    Rule(
        "static-members-partly",
        "{static} members are static and {dynamic} are not: each restart of a dynamic one rebalances the group, and the static ones"
        " gain nothing.",
        (INSTANCE,),
        (_KIP, page("Consumer Configs: group.instance.id")),
        _partly,
        (Kind.CLASSIC, Kind.CONSUMERS),
    ),
    Rule(
        "static-id-of-all-clients",
        "With one group.instance.id for all clients each fences the one before: the member that has it already fails with"
        " FencedInstanceIdException.",
        (INSTANCE,),
        (_KIP, page("Consumer Configs: group.instance.id")),
        _one_for_all,
        (Kind.CLASSIC, Kind.CONSUMERS),
    ),
    Rule(
        "static-session-below-restart",
        "A static member that restarts takes {start_up} to come back (of the policy), longer than its session of {session} since"
        " its"
        " last heartbeat allows: the group rebalances as if it were dynamic.",
        (SESSION, HEARTBEAT, INSTANCE),
        (_KIP, page("Consumer Configs: session.timeout.ms")),
        _back_too_late,
    ),
    Rule(
        "static-members-with-new-ids",
        "The clients generate a new process ID at each start, so that their tasks move with the next rebalance although the members"
        " are static.",
        (INSTANCE, "default.dsl.store"),
        (_KIP, issue(10716)),
        _new_id,
    ),
    Rule(
        "static-threads-taken",
        "Each thread is a static member. A client that restarts with {threads} threads instead of {before} leaves the members of"
        " the others behind: nothing runs their tasks for the session of {session}, unless they are removed from the group"
        " (Admin.removeMembersFromConsumerGroup).",
        (THREADS, INSTANCE),
        (_KIP, kip(571)),
        _threads_taken,
    ),
    Rule(
        "static-members-refused-by-brokers",
        "Brokers of {brokers} refuse a member of a streams group with group.instance.id (INVALID_REQUEST): the client stops.",
        (INSTANCE,),
        (issue(20169), page("Streams developer guide: Streams Rebalance Protocol")),
        _refused_by_brokers,
        (Kind.BY_BROKER,),
    ),
)
