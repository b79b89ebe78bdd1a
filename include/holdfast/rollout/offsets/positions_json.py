"""The JSON of where readers go on, and of the settings of consumers that it depends on, for forecasts, which Holdfast does not
read."""

from holdfast.kafka.consumer.config import AUTO_COMMIT, MAX_POLL_INTERVAL, OFFSET_RESET, ConsumerConfig, Reset
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, TEXT, choice, items, nullable, row
from holdfast.rollout.json.kafka_codecs import PARTITION
from holdfast.rollout.json.record import member, written_of
from holdfast.rollout.offsets.positions import Positions


def reset(config: ConsumerConfig) -> str:
    """As `auto.offset.reset` is written."""
    return str(config.reset) if config.duration is None else f"{config.reset}:{config.duration}"


_SKIPPING = row(
    "a topic, a partition and a number of records",
    lambda topic, partition, records: ((topic, partition), records),
    lambda found: [*found[0], found[1]],
    *(NAME, PARTITION, nullable(COUNT)),
)
POSITIONS = written_of(
    Positions,
    about="Where those go on who begin to read a partition.",
    committed=member(COUNT, "Partitions that are taken up at their committed offset."),
    reset=member(COUNT, "Those without one that is in range."),
    unknown=member(COUNT, "Those of which it is unknown."),
    reset_to=member(choice(Reset)),
    records_skipped=member(nullable(COUNT)),
    records_read_twice_at_most=member(nullable(COUNT)),
    skipping=member(items(_SKIPPING)),
)
CLIENT_SETTINGS = written_of(
    ConsumerConfig,
    max_poll_interval_ms=member(
        COUNT,
        "The rebalance timeout: a consumer that is busy with what it polled last gives up partitions that much later, at most;"
        " after that the coordinator removes it.",
        name=MAX_POLL_INTERVAL,
    ),
    reset=member(TEXT, name=OFFSET_RESET, write=reset),
    auto_commit=member(BOOLEAN, name=AUTO_COMMIT),
    given=member(items(TEXT.described("A setting that the Snapshot has; the others are Kafka's defaults."))),
)
"""Of consumers of groups whose broker assigns: the brokers have the timeouts and intervals."""
