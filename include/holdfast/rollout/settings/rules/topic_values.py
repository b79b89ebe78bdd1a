"""Configs of internal topics that brokers refuse, so that the topics cannot be created.

Java: `LogConfig`. The client does not check them: they are of the brokers' release, which may differ.
"""

from collections.abc import Callable, Mapping

from holdfast.rollout.settings.rule import Fix, Hit, Rule, java, kip, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import STREAMS

PREFIX, REMOTE = "topic.", "topic.remote.storage.enable"
_LONGEST_NUMBER = 20
_LEAST: Mapping[str, int] = {
    "delete.retention.ms": 0,
    "file.delete.delay.ms": 0,
    "flush.messages": 0,
    "flush.ms": 0,
    "index.interval.bytes": 0,
    "local.retention.bytes": -2,
    "local.retention.ms": -2,
    "max.compaction.lag.ms": 1,
    "max.message.bytes": 0,
    "message.timestamp.after.max.ms": 0,
    "message.timestamp.before.max.ms": 0,
    "message.timestamp.difference.max.ms": 0,
    "min.compaction.lag.ms": 0,
    "min.insync.replicas": 1,
    "retention.bytes": -(2**63),
    "retention.ms": -1,
    "segment.bytes": 14,
    "segment.index.bytes": 4,
    "segment.jitter.ms": 0,
    "segment.ms": 1,
}
_ONE_OF: Mapping[str, tuple[str, ...]] = {
    "compression.type": ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
    "preallocate": ("true", "false"),
    "unclean.leader.election.enable": ("true", "false"),
}
_POLICIES = ("compact", "delete")


def _number(least: int) -> Callable[[str], str | None]:
    def wrong(value: str) -> str | None:
        digits = value.removeprefix("-").removeprefix("+")
        known = digits.isascii() and digits.isdecimal() and len(digits) < _LONGEST_NUMBER
        return None if known and int(value) >= least else f"a whole number of {least} or more" if least >= -2 else "a whole number"

    return wrong


def _one_of(values: tuple[str, ...]) -> Callable[[str], str | None]:
    return lambda value: None if value.lower() in map(str.lower, values) else f"one of {', '.join(values)}"


def _policy(value: str) -> str | None:
    found = [one.strip() for one in value.split(",") if one.strip()]
    return None if all(one in _POLICIES for one in found) else "compact, delete, or both"


def _share(value: str) -> str | None:
    try:
        return None if 0 <= float(value) <= 1 else "a number from 0 to 1"
    except ValueError:
        return "a number from 0 to 1"


_WRONG: Mapping[str, Callable[[str], str | None]] = {
    **{key: _number(least) for key, least in _LEAST.items()},
    **{key: _one_of(values) for key, values in _ONE_OF.items()},
    "cleanup.policy": _policy,
    "min.cleanable.dirty.ratio": _share,
}


def _refused(subject: Subject) -> tuple[Hit, ...]:
    given = ((key, str(value).strip()) for key, value in subject.settings.properties.items() if key.startswith(PREFIX))
    checked = ((key, value, _WRONG.get(key.removeprefix(PREFIX))) for key, value in given)
    wrong = ((key, value, check(value)) for key, value, check in checked if check is not None)
    return tuple(
        Hit((shown(key, value),), (Fix(key, None),), (text("key", key), text("wanted", wanted)))
        for key, value, wanted in wrong
        if wanted is not None
    )


def _tiered(subject: Subject) -> Hit | None:
    value = str(subject.settings.properties.get(REMOTE, "")).strip().lower()
    return Hit((shown(REMOTE, value),), (Fix(REMOTE, None),)) if value == "true" else None


RULES = (
    Rule(
        "topic-value-refused",
        "It goes to every internal topic, and brokers refuse it: the topics cannot be created. {key} takes {wanted}.",
        (f"{PREFIX}*",),
        (java("LogConfig"), page("Topic Configs")),
        _refused,
        STREAMS,
    ),
    Rule(
        "changelogs-in-tiered-storage",
        "It goes to every internal topic, and brokers refuse it for compacted ones: changelogs cannot be created.",
        (REMOTE,),
        (kip(405), page("Topic Configs: remote.storage.enable")),
        _tiered,
        STREAMS,
    ),
)
