"""Internal topics: their replicas, and configs that delete or delay what a restore needs."""

from collections.abc import Callable

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import above, below, given_number
from holdfast.rollout.settings.rule import Figure, Fix, Hit, Rule, Where, java, kip, ms, octets, page, text
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import STREAMS

REPLICAS, PURGE = "replication.factor", "repartition.purge.interval.ms"
CLEANUP, RETENTION, INSYNC = "topic.cleanup.policy", "topic.retention.ms", "topic.min.insync.replicas"
UNCLEAN, TIMESTAMPS = "topic.unclean.leader.election.enable", "topic.message.timestamp.type"
DIRTY, UNCOMPACTED, LARGEST = "topic.min.cleanable.dirty.ratio", "topic.min.compaction.lag.ms", "topic.max.message.bytes"
RETENTION_BYTES = "topic.retention.bytes"
_RESILIENT = "3"
_MOST_DIRTY = 0.9
_LONG_UNCOMPACTED_MS = 86_400_000
_LATE_PURGE_MS = 3_600_000
_TOMBSTONES, _WINDOWS = "topic.delete.retention.ms", "windowstore.changelog.additional.retention.ms"
_OLDEST = ("topic.message.timestamp.before.max.ms", "topic.message.timestamp.difference.max.ms")
_SEGMENT, _INDEX = "topic.segment.bytes", "topic.segment.index.bytes"
_SEGMENT_MS, _FLUSHES, _OFTEN_ROLLED_MS = "topic.segment.ms", ("topic.flush.messages", "topic.flush.ms"), 60_000
_HOUR_MS, _DAY_MS, _SMALL_SEGMENT = 3_600_000, 86_400_000, 2**20


def _value(subject: Subject, key: str) -> str | None:
    found = subject.settings.properties.get(key)
    return None if found is None else str(found).strip()


def _number(subject: Subject, key: str) -> int | None:
    value = _value(subject, key)
    return int(value) if value is not None and value.removeprefix("-").isdecimal() and len(value) < 20 else None


def _one_replica(subject: Subject) -> Hit | None:
    if given_number(subject, Client.STREAMS, REPLICAS) != 1:
        return None
    return Hit((subject.settings.shown(Client.STREAMS, REPLICAS),), (Fix(REPLICAS, _RESILIENT),))


def _fewer_than_sources(subject: Subject) -> Hit | None:
    sources = [topic.replicas for topic in subject.topics if not topic.internal and topic.replicas]
    few = [topic for topic in subject.topics if topic.changelog and topic.internal and topic.replicas == 1]
    if not few or not sources or min(sources) < 2:
        return None
    figures = (text("topic", few[0].name), Figure("topics", len(few)), Figure("replicas", min(sources)))
    return Hit((subject.settings.shown(Client.STREAMS, REPLICAS),), (Fix(REPLICAS, str(min(sources)), Where.TOPIC),), figures)


def _insync(subject: Subject) -> Hit | None:
    least, replicas = _number(subject, INSYNC), given_number(subject, Client.STREAMS, REPLICAS)
    if replicas is None or replicas < 0:
        seen = [topic.replicas for topic in subject.topics if topic.internal and topic.replicas]
        replicas = min(seen) if seen else None
    if least is None or replicas is None or least < replicas or (least == replicas == 1):
        return None
    shown_ = (shown(INSYNC, least), subject.settings.shown(Client.STREAMS, REPLICAS))
    return Hit(shown_, (Fix(INSYNC, str(max(1, replicas - 1))),), (Figure("least", least), Figure("replicas", replicas)))


def _of_topic(key: str, harmful: Callable[[str], bool], better: str | None) -> Callable[[Subject], Hit | None]:
    def look(subject: Subject) -> Hit | None:
        value = _value(subject, key)
        return (
            Hit((shown(key, value),), (Fix(key, better),), (text("value", value),))
            if value is not None and harmful(value)
            else None
        )

    return look


def _whole_from(least: int) -> Callable[[str], bool]:
    return lambda value: value.isdecimal() and len(value) < 20 and int(value) >= least


def _too_dirty(value: str) -> bool:
    try:
        return float(value) >= _MOST_DIRTY
    except ValueError:
        return False


def _tombstones(subject: Subject) -> Hit | None:
    value, restore = _number(subject, _TOMBSTONES), 1_000 * round(subject.restore_s)
    if value is None or value >= max(_HOUR_MS, restore) or not subject.has_state:
        return None
    return Hit((shown(_TOMBSTONES, value),), (Fix(_TOMBSTONES, str(max(_DAY_MS, 2 * restore))),), (ms("value", value),))


def _repartitions_compacted(subject: Subject) -> Hit | None:
    value = _value(subject, CLEANUP)
    if value != "compact" or not any(topic.internal and not topic.changelog for topic in subject.topics):
        return None
    return Hit((shown(CLEANUP, value),), (Fix(CLEANUP, None),))


def _short(*bounds: tuple[str, int]) -> Callable[[Subject], Hit | None]:
    """The first of these keys with a number below its bound."""

    def look(subject: Subject) -> Hit | None:
        for key, least in bounds:
            value = _number(subject, key)
            if value is not None and 0 < value < least:
                return Hit((shown(key, value),), (Fix(key, None),), (text("value", f"{value:,}"),))
        return None

    return look


def _old_records(subject: Subject) -> Hit | None:
    for key in _OLDEST:
        value = _number(subject, key)
        if value is not None and value < _DAY_MS:
            return Hit((shown(key, value),), (Fix(key, None),), (ms("value", value),))
    return None


def _small_segments(subject: Subject) -> Hit | None:
    value = _number(subject, _SEGMENT)
    if value is None or value >= _SMALL_SEGMENT:
        return None
    return Hit((shown(_SEGMENT, value),), (Fix(_SEGMENT, None),), (octets("value", value),))


def _records_too_large(subject: Subject) -> Hit | None:
    most, largest = _number(subject, LARGEST), subject.settings.assumed(Client.PRODUCER, "max.request.size")
    if most is None or largest is None or most >= largest:
        return None
    shown_ = (shown(LARGEST, most), subject.settings.shown(Client.PRODUCER, "max.request.size"))
    return Hit(shown_, (Fix(LARGEST, str(largest)),), (Figure("most", most), Figure("largest", largest)))


_DEFAULTS = java("InternalTopicConfig")
_TOPIC_PAGE = "Topic Configs: {}".format
RULES = (
    Rule(
        "replication-factor-one",
        "Changelogs and repartition topics are on one broker each: while it is away the application stops, and what it loses is"
        " lost.",
        (REPLICAS,),
        (page("Streams developer guide: recommended configuration parameters for resiliency"), kip(733)),
        _one_replica,
        STREAMS,
    ),
    Rule(
        "changelogs-with-one-replica",
        "{topics} changelogs, {topic} among them, have one replica where the source topics have {replicas}: their loss is the loss"
        " of the"
        " state.",
        (REPLICAS,),
        (page("Streams developer guide: recommended configuration parameters for resiliency"), kip(733)),
        _fewer_than_sources,
        STREAMS,
    ),
    Rule(
        "in-sync-replicas-too-many",
        "With {replicas} replicas of which {least} must be in sync, one broker that is away stops all writes to changelogs and"
        " repartition topics.",
        (INSYNC, REPLICAS),
        (page(_TOPIC_PAGE("min.insync.replicas")),),
        _insync,
        STREAMS,
    ),
    Rule(
        "changelogs-deleted",
        "It goes to every internal topic: what is in a changelog for longer than the topic's retention (7 days unless brokers have"
        " another) is deleted, and a restore finds a part of the state.",
        (CLEANUP,),
        (_DEFAULTS, page(_TOPIC_PAGE("cleanup.policy"))),
        _of_topic(CLEANUP, lambda value: "delete" in value, None),
        STREAMS,
    ),
    Rule(
        "repartition-topics-compacted",
        "It goes to every internal topic: records of a repartition topic are removed for newer ones of the same key before they are"
        " processed, and brokers refuse to delete those that are (DeleteRecords).",
        (CLEANUP,),
        (java("RepartitionTopicConfig"), kip(204), page(_TOPIC_PAGE("cleanup.policy"))),
        _repartitions_compacted,
        STREAMS,
    ),
    Rule(
        "segments-rolled-often",
        "Each partition of an internal topic begins a new file each {value} ms: brokers run out of open files.",
        (_SEGMENT_MS,),
        (page(_TOPIC_PAGE("segment.ms")),),
        _short((_SEGMENT_MS, _OFTEN_ROLLED_MS)),
        STREAMS,
    ),
    Rule(
        "records-flushed-one-by-one",
        "Brokers write internal topics to disk after {value} (records, or ms): each record of a changelog waits for that. Kafka"
        " recommends to leave it to replication.",
        _FLUSHES,
        (page(_TOPIC_PAGE("flush.messages")), page(_TOPIC_PAGE("flush.ms"))),
        _short((_FLUSHES[0], 1_000), (_FLUSHES[1], 1_000)),
        STREAMS,
    ),
    Rule(
        "repartition-topics-expire",
        "It goes to every internal topic: records of a repartition topic that are not processed by then are lost. Streams sets no"
        " limit,"
        " and deletes what it has processed.",
        (RETENTION, RETENTION_BYTES),
        (_DEFAULTS, java("RepartitionTopicConfig"), page(_TOPIC_PAGE("retention.ms"))),
        lambda subject: (
            _of_topic(RETENTION, _whole_from(0), None)(subject) or _of_topic(RETENTION_BYTES, _whole_from(0), None)(subject)
        ),
        STREAMS,
    ),
    Rule(
        "unclean-leaders",
        "A replica that lacks records may become the leader: state is then restored without them.",
        (UNCLEAN,),
        (page(_TOPIC_PAGE("unclean.leader.election.enable")),),
        _of_topic(UNCLEAN, lambda value: value.lower() == "true", None),
        STREAMS,
    ),
    Rule(
        "timestamps-of-the-brokers",
        "Brokers put their own time into records of repartition topics and changelogs: windows and joins go by the wrong time.",
        (TIMESTAMPS,),
        (_DEFAULTS, page(_TOPIC_PAGE("message.timestamp.type"))),
        _of_topic(TIMESTAMPS, lambda value: value == "LogAppendTime", None),
        STREAMS,
    ),
    Rule(
        "changelogs-compacted-late",
        "A changelog is compacted only when it is {value} dirty: a restore reads old values of the same keys until then.",
        (DIRTY,),
        (page(_TOPIC_PAGE("min.cleanable.dirty.ratio")),),
        _of_topic(DIRTY, _too_dirty, "0.5"),
        STREAMS,
    ),
    Rule(
        "changelogs-not-compacted",
        "Nothing of the last {value} ms of a changelog is compacted: a restore reads each update of it.",
        (UNCOMPACTED,),
        (page(_TOPIC_PAGE("min.compaction.lag.ms")),),
        _of_topic(UNCOMPACTED, _whole_from(_LONG_UNCOMPACTED_MS), "0"),
        STREAMS,
    ),
    Rule(
        "tombstones-deleted-early",
        "The brokers forget after {value} that a key was deleted: a restore that takes longer, or a client that comes back with its"
        " disk after longer, keeps keys that are gone.",
        (_TOMBSTONES,),
        (page(_TOPIC_PAGE("delete.retention.ms")),),
        _tombstones,
        STREAMS,
    ),
    Rule(
        "old-records-refused",
        "Records of internal topics have the times of the input. Brokers refuse those that are older than {value}"
        " (InvalidTimestampException): what was written while the application was away ends its threads.",
        _OLDEST,
        (kip(937), page(_TOPIC_PAGE("message.timestamp.before.max.ms"))),
        _old_records,
        STREAMS,
    ),
    Rule(
        "windows-deleted-early",
        "A changelog of windows keeps them for their retention and {value}: with clocks that differ, brokers delete what a restore"
        " needs.",
        (_WINDOWS,),
        (page(f"Streams Configs: {_WINDOWS}"),),
        below(Client.STREAMS, _WINDOWS, _HOUR_MS, str(_DAY_MS)),
        STREAMS,
    ),
    Rule(
        "segments-small",
        "Each partition of an internal topic is cut into files of {value}, of which brokers keep some open; from 4.0 on they refuse"
        " less than 1 MiB, and the topics cannot be created.",
        (_SEGMENT,),
        (kip(1030), page(_TOPIC_PAGE("segment.bytes"))),
        _small_segments,
        STREAMS,
    ),
    Rule(
        "segment-index-small",
        "A file of an internal topic is closed once its index has {value} bytes, eight for each 4 KiB of records: brokers run out"
        " of open files.",
        (_INDEX,),
        (page(_TOPIC_PAGE("segment.index.bytes")), java("LogSegment")),
        _short((_INDEX, 2**12)),
        STREAMS,
    ),
    Rule(
        "records-larger-than-the-topics-take",
        "The producer sends up to {largest} bytes where internal topics take {most}: larger records fail with"
        " RecordTooLargeException.",
        (LARGEST, "max.request.size"),
        (page(_TOPIC_PAGE("max.message.bytes")), page("Producer Configs: max.request.size")),
        _records_too_large,
        STREAMS,
    ),
    Rule(
        "repartition-topics-purged-late",
        "Records of repartition topics that are processed stay for {value} on the brokers' disks.",
        (PURGE,),
        (kip(811), page("Streams Configs: repartition.purge.interval.ms")),
        above(Client.STREAMS, PURGE, _LATE_PURGE_MS, "30000"),
        STREAMS,
    ),
)
