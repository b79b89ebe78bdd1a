"""Threads, and settings that are left over from an upgrade."""

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import given_number
from holdfast.rollout.settings.rule import Figure, Fix, Hit, Rule, kip, page, text
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import STREAMS

THREADS, UPGRADE = "num.stream.threads", "upgrade.from"


def _idle(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, THREADS)
    if value is None or not subject.tasks or value <= subject.tasks:
        return None
    shown = (subject.settings.shown(Client.STREAMS, THREADS),)
    return Hit(shown, (Fix(THREADS, str(-(-subject.tasks // max(1, len(subject.members))))),), (Figure("tasks", subject.tasks),))


def _none(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, THREADS)
    if value is None or value > 0 or not subject.tasks:
        return None
    return Hit((subject.settings.shown(Client.STREAMS, THREADS),), (Fix(THREADS, "1"),))


def _upgrade(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.STREAMS, UPGRADE)
    if found is None or str(found.value) in ("", "null"):
        return None
    return Hit((subject.settings.shown(Client.STREAMS, UPGRADE),), (Fix(UPGRADE, None),), (text("release", str(found.value)),))


RULES = (
    Rule(
        "more-threads-than-tasks",
        "One client has more threads than the whole group has tasks ({tasks}): some are idle wherever tasks go, each with"
        " consumers, a"
        " producer and their buffers, and each a member that rebalances wait for.",
        (THREADS,),
        (page("Streams architecture: threading model"), page("Streams Configs: num.stream.threads")),
        _idle,
        STREAMS,
    ),
    Rule(
        "no-threads",
        "The client has no thread, and processes nothing.",
        (THREADS,),
        (page("Streams Configs: num.stream.threads"),),
        _none,
        STREAMS,
    ),
    Rule(
        "upgrade-from-left-over",
        "It is for the first of the two rolling restarts of an upgrade from {release}. As long as it is set, members write the old"
        " form"
        " of their metadata or of their records.",
        (UPGRADE,),
        (kip(268), page("Streams Configs: upgrade.from"), page("Streams upgrade guide")),
        _upgrade,
        STREAMS,
    ),
)
