"""More configurations with known harm: to connections, to what brokers accept, to what records and topics are."""

from dataclasses import replace

from tests.harness.groups_at_rest import consumers, streams
from tests.unit.rollout.settings.harm import Harm, by_broker_of, consumers_of, one, streams_of

from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Topic, TopicPartitionInfo

_PRODUCER = "org.apache.kafka.clients.producer"


def _repartitioned() -> Snapshot:
    group = streams()
    return replace(group, topics=(*group.topics, Topic("app-by-word-repartition", (TopicPartitionInfo(0, (None, None, None)),))))


CONNECTIONS: dict[str, Harm] = {
    "an address without a port": one("bootstrap.servers", "broker", "class ClientUtils"),
    "an address without a port, the second": one("bootstrap.servers", "b0:9092, b1", "class ClientUtils", consumers),
    "a port that there is not": one("bootstrap.servers", "b0:99999", "class ClientUtils"),
    "where it is reached, without a port": one("application.server", "localhost", "Streams Configs: application.server"),
    "brokers that are looked up once": one("metadata.recovery.strategy", "none", "KIP-1102", streams_of(release="4.1.1")),
    "brokers that consumers look up once": one("metadata.recovery.strategy", "none", "KIP-1102", consumers_of(release="4.1.1")),
    "connects again at once": one("reconnect.backoff.ms", "0", "Consumer Configs: reconnect.backoff.ms"),
    "asks again at once": one("retry.backoff.ms", "0", "Consumer Configs: retry.backoff.ms", consumers),
    "connections given up after 10 ms": one("socket.connection.setup.timeout.ms", "10", "KIP-601"),
    "requests that wait for an hour": one("request.timeout.ms", "3600000", "Consumer Configs: request.timeout.ms"),
    "heartbeats each 10 ms": one("heartbeat.interval.ms", "10", "KIP-62", consumers),
    "heartbeats of a streams group each 100 ms": Harm(
        ("streams.heartbeat.interval.ms",), "KIP-1071", group=by_broker_of(config={"streams.heartbeat.interval.ms": 100})
    ),
    "a session of a streams group of 12 s": Harm(
        ("streams.session.timeout.ms",), "KIP-1071", group=by_broker_of(config={"streams.session.timeout.ms": 12_000})
    ),
    "fetches that do not wait": one("fetch.max.wait.ms", "0", "Consumer Configs: fetch.max.wait.ms"),
    "fetches that do not wait, of consumers": one("fetch.max.wait.ms", "0", "Consumer Configs: fetch.max.wait.ms", consumers),
    "fetches that nothing is enough for": one("consumer.fetch.min.bytes", "0", "Consumer Configs: fetch.min.bytes"),
}
RECORDS: dict[str, Harm] = {
    "keys in turn": one("producer.partitioner.class", f"{_PRODUCER}.RoundRobinPartitioner", "KIP-369"),
    "keys by batches": one("partitioner.class", f"{_PRODUCER}.UniformStickyPartitioner", "KIP-480"),
    "keys that are ignored": one("producer.partitioner.ignore.keys", "true", "KIP-794"),
    "requests of 10 KB": one("producer.max.request.size", "10000", "Producer Configs: max.request.size"),
    "topics that take 10 KB": one("topic.max.message.bytes", "10000", "Topic Configs: max.message.bytes"),
    "a send buffer of 1 KB": one("producer.send.buffer.bytes", "1024", "Producer Configs: send.buffer.bytes"),
    "idempotent with six in flight": Harm(
        ("max.in.flight.requests.per.connection",),
        "KIP-679",
        {"producer.enable.idempotence": "true", "producer.max.in.flight.requests.per.connection": "6"},
    ),
    "a batch above the buffer": Harm(
        ("buffer.memory", "batch.size"),
        "class BufferPool",
        {"producer.batch.size": "10485760", "producer.buffer.memory": "1048576"},
    ),
}
TOPICS: dict[str, Harm] = {
    "changelogs compacted, and deleted": one("topic.cleanup.policy", "compact,delete", "class InternalTopicConfig"),
    "repartition topics compacted": one("topic.cleanup.policy", "compact", "class RepartitionTopicConfig", _repartitioned),
    "a policy that there is not": one("topic.cleanup.policy", "none", "class LogConfig"),
    "a segment each second": one("topic.segment.ms", "1000", "Topic Configs: segment.ms"),
    "each record flushed": one("topic.flush.messages", "1", "Topic Configs: flush.messages"),
    "flushed each 10 ms": one("topic.flush.ms", "10", "Topic Configs: flush.ms"),
    "changelogs in tiered storage": one("topic.remote.storage.enable", "true", "KIP-405"),
    "none in sync": one("topic.min.insync.replicas", "0", "class LogConfig"),
    "a retention in words": one("topic.retention.ms", "7d", "class LogConfig"),
    "a compression of topics that there is not": one("topic.compression.type", "brotli", "class LogConfig"),
    "a share above one": one("topic.min.cleanable.dirty.ratio", "2", "class LogConfig"),
    "times that there are not": one("topic.message.timestamp.type", "EventTime", "class LogConfig"),
}
MEMORY: dict[str, Harm] = {
    "a cache of 20 GB": one("statestore.cache.max.bytes", "21474836480", "Streams developer guide: memory management"),
    "a cache of 20 GB, by its old name": one(
        "cache.max.bytes.buffering", "21474836480", "Streams developer guide: memory management"
    ),
    "2 GB of each partition": one("consumer.max.partition.fetch.bytes", "2147483647", "KIP-74"),
    "2 GB of each partition, to restore": one("restore.consumer.max.partition.fetch.bytes", "2147483647", "KIP-74"),
    "all records at a time": one("max.poll.records", "2147483647", "KIP-62", consumers),
    "8 GB to send": one("producer.buffer.memory", "8589934592", "Producer Configs: buffer.memory"),
}
REST: dict[str, Harm] = {
    "tags, brokers assign": Harm(
        ("rack.aware.assignment.tags",),
        "KIP-1071",
        {"group.protocol": "streams", "rack.aware.assignment.tags": "zone", "client.tag.zone": "a"},
        by_broker_of(),
    ),
    "a key in capitals": Harm(("num.standby.replicas",), "class ConfigDef", {"NUM.STANDBY.REPLICAS": "1"}),
    "an optimisation that there is not": one("topology.optimization", "everything", "KIP-862"),
    "a duration that is none": one("auto.offset.reset", "by_duration:1h", "KIP-1106", streams_of(release="4.1.1")),
    "a duration before durations": one("auto.offset.reset", "by_duration:PT1H", "KIP-1106"),
    "the protocol of consumers": one("group.protocol", "consumer", "KIP-1071", streams_of(release="4.2.1")),
    "a look-up that is gone": one("client.dns.lookup", "default", "KIP-602"),
    "state in a user's temporary folder": one(
        "state.dir", r"C:\Users\svc\AppData\Local\Temp\kafka-streams", "Streams Configs: state.dir"
    ),
    "state in the temporary folder of a Mac": one("state.dir", "/private/var/folders/zz/T/streams", "Streams Configs: state.dir"),
    "a level of gzip that there is not": one("producer.compression.gzip.level", "99", "KIP-390"),
}
TO_CLIENTS: dict[str, Harm] = CONNECTIONS | RECORDS | TOPICS | MEMORY | REST
