"""The producer: what it may lose, and combinations with which it does not start."""

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import above, below, equal, first, given_as, given_number
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, Unit, java, kip, ms, octets, page
from holdfast.rollout.settings.rules.exactly_once import IDEMPOTENCE, IN_FLIGHT, MOST_IN_FLIGHT
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import STREAMS

ACKS, RETRIES, DELIVERY, LINGER, REQUEST = "acks", "retries", "delivery.timeout.ms", "linger.ms", "request.timeout.ms"
BUFFER, BATCH, LARGEST = "buffer.memory", "batch.size", "max.request.size"
PARTITIONER, IGNORES_KEYS = "partitioner.class", "partitioner.ignore.keys"
_WITHOUT_KEYS = ("RoundRobinPartitioner", "UniformStickyPartitioner")
_PRODUCER = Client.PRODUCER
_SHORT_BLOCK_MS, _LONG_LINGER_MS, _SMALL_BATCH = 1_000, 10_000, 1_024
_SMALL_REQUEST, _SMALL_BUFFER, _LARGE_BUFFER = 131_072, 16_384, 2**30


def _in_flight(subject: Subject) -> Hit | None:
    value = given_number(subject, _PRODUCER, IN_FLIGHT)
    if value is None or value <= MOST_IN_FLIGHT or subject.settings.exactly_once:
        return None
    fix = Fix(given_as(subject, _PRODUCER, IN_FLIGHT), str(MOST_IN_FLIGHT))
    return Hit((subject.settings.shown(_PRODUCER, IN_FLIGHT),), (fix,))


def _retries(subject: Subject) -> Hit | None:
    if given_number(subject, _PRODUCER, RETRIES) != 0:
        return None
    return Hit((subject.settings.shown(_PRODUCER, RETRIES),), (Fix(given_as(subject, _PRODUCER, RETRIES), None),))


def _not_idempotent(subject: Subject) -> Hit | None:
    found = subject.settings.given(_PRODUCER, IDEMPOTENCE)
    if found is None or found.value is not False:
        return None
    return Hit((subject.settings.shown(_PRODUCER, IDEMPOTENCE),), (Fix(found.given_as or IDEMPOTENCE, None),))


def _scattered(subject: Subject) -> Hit | None:
    found = subject.settings.given(_PRODUCER, PARTITIONER)
    if found is None or str(found.value).rpartition(".")[2] not in _WITHOUT_KEYS:
        return None
    return Hit((subject.settings.shown(_PRODUCER, PARTITIONER),), (Fix(found.given_as or PARTITIONER, None),))


def _delivery(subject: Subject) -> Hit | None:
    value = given_number(subject, _PRODUCER, DELIVERY)
    linger, request = (subject.settings.assumed(_PRODUCER, key) for key in (LINGER, REQUEST))
    if value is None or linger is None or request is None or value >= linger + request:
        return None
    shown = tuple(subject.settings.shown(_PRODUCER, key) for key in (DELIVERY, LINGER, REQUEST))
    fix = Fix(given_as(subject, _PRODUCER, DELIVERY), str(max(120_000, linger + request)))
    return Hit(shown, (fix,), (ms("delivery", value), ms("needed", linger + request)))


def _buffer(subject: Subject) -> Hit | None:
    value = given_number(subject, _PRODUCER, BUFFER)
    needed = max(subject.settings.assumed(_PRODUCER, key) or 0 for key in (BATCH, LARGEST))
    if value is None or value >= needed:
        return None
    fix = Fix(given_as(subject, _PRODUCER, BUFFER), str(max(33_554_432, needed)))
    return Hit((subject.settings.shown(_PRODUCER, BUFFER),), (fix,), (octets("buffer", value), octets("needed", needed)))


RULES = (
    Rule(
        "acks-of-the-leader-alone",
        "A record that only the leader has is lost with it: changelogs, and the state that is restored from them, lack it. With"
        " exactly-once no producer starts.",
        (ACKS,),
        (page("Streams developer guide: recommended configuration parameters for resiliency"), page("Producer Configs: acks")),
        equal(_PRODUCER, ACKS, ("0", "1"), "all"),
        STREAMS,
    ),
    Rule(
        "records-out-of-order",
        "With more than 5 requests in flight the producer is not idempotent (from 4.0 on it does not start): a retry writes"
        " records of a"
        " changelog twice, or in another order.",
        (IN_FLIGHT,),
        (page("Producer Configs: max.in.flight.requests.per.connection"), kip(679)),
        _in_flight,
        STREAMS,
    ),
    Rule(
        "producer-without-retries",
        "The first request that fails, such as at the election of a leader, ends its task; and without retries the producer is not"
        " idempotent.",
        (RETRIES,),
        (page("Producer Configs: retries"), kip(679)),
        _retries,
        STREAMS,
    ),
    Rule(
        "producer-not-idempotent",
        "A retry may write a record of a changelog twice, or out of order; Kafka turned idempotence on for all producers in 3.0.",
        (IDEMPOTENCE,),
        (kip(679), page("Producer Configs: enable.idempotence")),
        _not_idempotent,
        STREAMS,
        Releases("3.0"),
    ),
    Rule(
        "delivery-timeout-short",
        "No producer starts: delivery.timeout.ms ({delivery}) must be linger.ms + request.timeout.ms ({needed}) or more.",
        (DELIVERY, LINGER, REQUEST),
        (kip(91), java("KafkaProducer")),
        _delivery,
        STREAMS,
    ),
    Rule(
        "producer-buffer-small",
        "A record, or a batch, of {needed} does not fit into a buffer of {buffer}: sending it fails.",
        (BUFFER, BATCH, LARGEST),
        (page("Producer Configs: buffer.memory"), java("BufferPool")),
        _buffer,
        STREAMS,
    ),
    Rule(
        "producer-buffer-large",
        "Each thread has a producer, which may take {value} of the heap while brokers are slow.",
        (BUFFER,),
        (page("Producer Configs: buffer.memory"),),
        above(_PRODUCER, BUFFER, _LARGE_BUFFER, None, Unit.BYTES),
        STREAMS,
    ),
    Rule(
        "records-sent-late",
        "A record waits up to {value} for others before it is sent, at each repartition topic once more.",
        (LINGER,),
        (page("Producer Configs: linger.ms"),),
        above(_PRODUCER, LINGER, _LONG_LINGER_MS, None),
        STREAMS,
    ),
    Rule(
        "records-sent-one-by-one",
        "A batch has {value} at most, which is hardly more than one record: each record of a changelog is a batch of its own for"
        " the brokers, and for a restore.",
        (BATCH,),
        (page("Producer Configs: batch.size"),),
        below(_PRODUCER, BATCH, _SMALL_BATCH, None, Unit.BYTES),
        STREAMS,
    ),
    Rule(
        "producer-blocks-briefly",
        "Sending fails where metadata, or room in the buffer, takes longer than that: an election of leaders does.",
        ("max.block.ms",),
        (page("Producer Configs: max.block.ms"), kip(572)),
        below(_PRODUCER, "max.block.ms", _SHORT_BLOCK_MS, "60000"),
        STREAMS,
    ),
    Rule(
        "keys-scattered",
        "Streams leaves the partition of a record to the producer, and this one does not go by the key: records of a key are in"
        " several partitions of repartition and output topics, and counts and joins of them are wrong.",
        (PARTITIONER, IGNORES_KEYS),
        (kip(794), page("Producer Configs: partitioner.class"), java("RecordCollectorImpl")),
        first(_scattered, equal(_PRODUCER, IGNORES_KEYS, ("true",), None)),
        STREAMS,
    ),
    Rule(
        "requests-small",
        "The producer refuses a record of more than {value} (RecordTooLargeException), which ends the thread; brokers take 1 MiB.",
        (LARGEST,),
        (page("Producer Configs: max.request.size"),),
        below(_PRODUCER, LARGEST, _SMALL_REQUEST, None, Unit.BYTES),
        STREAMS,
    ),
    Rule(
        "send-buffer-small",
        "TCP sends no more than {value} without an answer: each request takes many round trips.",
        ("send.buffer.bytes",),
        (page("Producer Configs: send.buffer.bytes"),),
        below(_PRODUCER, "send.buffer.bytes", _SMALL_BUFFER, None, Unit.BYTES, unless=-1),
        STREAMS,
    ),
)
