"""Fetches and buffers of the consumers: above all of the one that restores."""

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import One, above, any_above, equal, first, given_as, given_number
from holdfast.rollout.settings.rule import Figure, Fix, Hit, Rule, Unit, kip, octets, page, text
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import STREAMS, Kind

RECORDS, OF_PARTITION, OF_FETCH = "max.poll.records", "max.partition.fetch.bytes", "fetch.max.bytes"
RECEIVE, LEAST, WAIT, CHECKS = "receive.buffer.bytes", "fetch.min.bytes", "fetch.max.wait.ms", "check.crcs"
_FEW_RECORDS, _SMALL_PARTITION, _SMALL_FETCH, _SMALL_BUFFER = 100, 131_072, 1_048_576, 16_384
_BY_SYSTEM = -1
_LONG_WAIT_MS, _SHORT_WAIT_MS = 5_000, 5
_LARGE_PARTITION, _MANY_POLLED = 2**28, 100_000
_MANY_BUFFERED = 1_000_000


def _polls(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.RESTORE, RECORDS)
    if value is None or value >= _FEW_RECORDS:
        return None
    polls = f"{-(-subject.largest_log // max(1, value)):,}"
    usual = f"{-(-subject.largest_log // 1_000):,}"
    fix = Fix(given_as(subject, Client.RESTORE, RECORDS), "1000")
    figures = (Figure("value", value), text("polls", polls), text("usual", usual))
    return Hit((subject.settings.shown(Client.RESTORE, RECORDS),), (fix,), figures)


def _small(key: str, least: int, usual: int) -> One:
    def look(subject: Subject) -> Hit | None:
        clients = (Client.PLAIN,) if subject.kind is Kind.CONSUMERS else (Client.RESTORE, Client.MAIN)
        for client in clients:
            value = given_number(subject, client, key)
            if value is not None and value != _BY_SYSTEM and value < least:
                fix = Fix(given_as(subject, client, key), str(usual))
                return Hit((subject.settings.shown(client, key),), (fix,), (octets("value", value), octets("usual", usual)))
        return None

    return look


def _waits_for_more(subject: Subject) -> Hit | None:
    for client in (Client.PLAIN,) if subject.kind is Kind.CONSUMERS else (Client.RESTORE, Client.MAIN):
        least = given_number(subject, client, LEAST)
        most = min(subject.settings.assumed(client, key) or 0 for key in (OF_PARTITION, OF_FETCH))
        if least is not None and least > most:
            fix = Fix(given_as(subject, client, LEAST), "1")
            return Hit((subject.settings.shown(client, LEAST),), (fix,), (octets("least", least), octets("most", most)))
    return None


def _does_not_wait(subject: Subject) -> Hit | None:
    for client in (Client.PLAIN,) if subject.kind is Kind.CONSUMERS else (Client.MAIN, Client.RESTORE):
        for key, least, usual in ((WAIT, _SHORT_WAIT_MS, "500"), (LEAST, 1, "1")):
            value = given_number(subject, client, key)
            if value is not None and value < least:
                return Hit((subject.settings.shown(client, key),), (Fix(given_as(subject, client, key), usual),))
    return None


def _unchecked(subject: Subject) -> Hit | None:
    return first(*(equal(client, CHECKS, ("false",), None) for client in (Client.MAIN, Client.RESTORE, Client.PLAIN)))(subject)


_BOTH = (Kind.CLASSIC, Kind.BY_BROKER, Kind.CONSUMERS)
RULES = (
    Rule(
        "fetches-do-not-wait",
        "Brokers answer each fetch at once, with nothing where nothing is there: clients of quiet partitions ask without a pause.",
        (WAIT, LEAST),
        (page("Consumer Configs: fetch.max.wait.ms"), page("Consumer Configs: fetch.min.bytes")),
        _does_not_wait,
        _BOTH,
    ),
    Rule(
        "checksums-unchecked",
        "Records that a disk or a network has changed are taken as they are: into state, and from there into changelogs.",
        (CHECKS,),
        (page("Consumer Configs: check.crcs"),),
        _unchecked,
        _BOTH,
    ),
    Rule(
        "restore-polls-small",
        "A poll of the restore consumer returns {value} records at most: the largest state takes {polls} polls, where Streams' own"
        " 1,000"
        " take {usual}.",
        (RECORDS,),
        (page("Streams developer guide: Kafka consumers, producer and admin client configuration parameters"),),
        _polls,
        STREAMS,
    ),
    Rule(
        "fetch-of-a-partition-small",
        "A fetch brings {value} of a partition at most (usually {usual}): a restore makes as many more round trips to the brokers.",
        (OF_PARTITION,),
        (page("Consumer Configs: max.partition.fetch.bytes"),),
        _small(OF_PARTITION, _SMALL_PARTITION, 1_048_576),
        _BOTH,
    ),
    Rule(
        "fetch-small",
        "A fetch brings {value} of all partitions together (usually {usual}): a thread that restores many of them waits for round"
        " trips.",
        (OF_FETCH,),
        (page("Consumer Configs: fetch.max.bytes"),),
        _small(OF_FETCH, _SMALL_FETCH, 52_428_800),
        _BOTH,
    ),
    Rule(
        "receive-buffer-small",
        "A connection has {value} in flight at most: over a network with some milliseconds of delay, restores are limited to a"
        " few MB a"
        " second.",
        (RECEIVE,),
        (page("Consumer Configs: receive.buffer.bytes"),),
        _small(RECEIVE, _SMALL_BUFFER, 65_536),
        _BOTH,
    ),
    Rule(
        "fetch-waits-for-more-than-fits",
        "A fetch waits for {least} where {most} fit: each one waits for all of fetch.max.wait.ms.",
        (LEAST, OF_PARTITION, OF_FETCH),
        (page("Consumer Configs: fetch.min.bytes"),),
        _waits_for_more,
        _BOTH,
    ),
    Rule(
        "fetch-waits-long",
        "With fewer bytes than fetch.min.bytes a broker holds a fetch for {value}: records, and the end of a restore, arrive that"
        " late.",
        (WAIT, LEAST),
        (page("Consumer Configs: fetch.max.wait.ms"),),
        any_above((Client.MAIN, Client.RESTORE, Client.PLAIN), WAIT, _LONG_WAIT_MS, "500"),
        _BOTH,
    ),
    Rule(
        "fetches-beyond-the-heap",
        "A fetch takes up to {value} of each partition, and the client holds what it has fetched in the heap.",
        (OF_PARTITION,),
        (kip(74), page("Consumer Configs: max.partition.fetch.bytes")),
        first(
            *(above(one, OF_PARTITION, _LARGE_PARTITION, None, Unit.BYTES) for one in (Client.MAIN, Client.RESTORE, Client.PLAIN))
        ),
        _BOTH,
    ),
    Rule(
        "polls-large",
        "A poll hands up to {value} records to the application, which has to be done with them within max.poll.interval.ms: a"
        " backlog takes the consumer out of its group.",
        (RECORDS,),
        (kip(62), page("Consumer Configs: max.poll.records")),
        above(Client.PLAIN, RECORDS, _MANY_POLLED, "500", Unit.COUNT),
        (Kind.CONSUMERS,),
    ),
    Rule(
        "records-buffered-without-bound",
        "A thread keeps up to {value} records of each of its partitions on the heap before it pauses one.",
        ("buffered.records.per.partition",),
        (page("Streams Configs: buffered.records.per.partition"),),
        above(Client.STREAMS, "buffered.records.per.partition", _MANY_BUFFERED, "1000", Unit.COUNT),
        STREAMS,
    ),
)
