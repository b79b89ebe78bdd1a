"""More configurations whose harm is known from Kafka's documentation, KIPs and issues, key by key: for the doctor of settings."""

from tests.harness.groups_at_rest import consumers
from tests.unit.rollout.settings.harm import Harm, M, by_broker_of, consumers_of, streams_of

BY_KEY: dict[str, Harm] = {
    "crcs unchecked": Harm(("check.crcs",), "Consumer Configs: check.crcs", {"consumer.check.crcs": "false"}),
    "crcs unchecked while restoring": Harm(
        ("consumer.check.crcs",), "Consumer Configs: check.crcs", {"restore.consumer.check.crcs": "false"}
    ),
    "crcs unchecked in a consumer": Harm(("check.crcs",), "Consumer Configs: check.crcs", {"check.crcs": "false"}, consumers),
    "a serde without its class around it": Harm(
        ("default.key.serde",), "class Serdes", {"default.key.serde": "org.apache.kafka.common.serialization.StringSerde"}
    ),
    "a serde with a dot for the dollar": Harm(
        ("default.value.serde",),
        "class Serdes",
        {"default.value.serde": "org.apache.kafka.common.serialization.Serdes.StringSerde"},
    ),
    "a misspelt extractor": Harm(
        ("default.timestamp.extractor",),
        "class AbstractConfig",
        {"default.timestamp.extractor": "org.apache.kafka.streams.processor.WallClockTimestampExtractor"},
    ),
    "a handler in another package": Harm(
        ("default.deserialization.exception.handler",),
        "KIP-161",
        {"default.deserialization.exception.handler": "org.apache.kafka.streams.processor.LogAndContinueExceptionHandler"},
    ),
    "a handler that 3.9 has not": Harm(
        ("processing.exception.handler",),
        "KIP-1033",
        {"processing.exception.handler": "org.apache.kafka.streams.errors.LogAndDropProcessingExceptionHandler"},
    ),
    "a public assignor that does not exist": Harm(
        ("task.assignor.class",),
        "KIP-924",
        {"task.assignor.class": "org.apache.kafka.streams.processor.assignment.assignors.HighAvailabilityTaskAssignor"},
        streams_of(release="3.9.1"),
    ),
    "a supplier of stores misspelt": Harm(
        ("dsl.store.suppliers.class",),
        "KIP-591",
        {"dsl.store.suppliers.class": "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers"},
        streams_of(release="3.9.1"),
    ),
    "a deserializer misspelt": Harm(
        ("key.deserializer",),
        "class AbstractConfig",
        {"key.deserializer": "org.apache.kafka.common.serialization.StringDeserialiser"},
        consumers,
    ),
    "an assignor of consumers misspelt": Harm(
        ("partition.assignment.strategy",),
        "KIP-429",
        {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssigner"},
        consumers,
    ),
    "a reporter that is gone in 4.0": Harm(
        ("metric.reporters",),
        "Producer Configs: metric.reporters",
        {"metric.reporters": "org.apache.kafka.common.metrics.JmxReporters"},
        streams_of(release="4.0.1"),
    ),
    "a partitioner that is gone in 4.0": Harm(
        ("partitioner.class",),
        "KIP-794",
        {"producer.partitioner.class": "org.apache.kafka.clients.producer.internals.DefaultPartitioner"},
        streams_of(release="4.0.1"),
    ),
    "a callback handler misspelt": Harm(
        ("sasl.login.callback.handler.class",),
        "KIP-768",
        {"sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallback"},
        streams_of(release="3.9.1"),
    ),
    "admin without retries": Harm(("retries",), "Admin Configs: retries", {"admin.retries": "0"}),
    "admin times out at once": Harm(
        ("default.api.timeout.ms",), "Admin Configs: default.api.timeout.ms", {"admin.default.api.timeout.ms": "500"}
    ),
    "admin: a call shorter than a request": Harm(
        ("default.api.timeout.ms",),
        "KIP-533 (KafkaAdminClient: must be no smaller than request.timeout.ms)",
        {"admin.default.api.timeout.ms": "20000", "admin.request.timeout.ms": "30000"},
    ),
    "admin without a back-off": Harm(("retry.backoff.ms",), "Admin Configs: retry.backoff.ms", {"admin.retry.backoff.ms": "0"}),
    "admin: requests of 10 ms": Harm(
        ("request.timeout.ms",), "Admin Configs: request.timeout.ms", {"admin.request.timeout.ms": "10"}
    ),
    "admin closes idle connections at once": Harm(
        ("connections.max.idle.ms",), "Admin Configs: connections.max.idle.ms", {"admin.connections.max.idle.ms": "100"}
    ),
    "a topic of seconds": Harm(("topic.retention.ms",), "Topic Configs: retention.ms", {"topic.retention.ms": "60000"}),
    "more in sync than there are (again)": Harm(
        ("topic.min.insync.replicas",),
        "Topic Configs: min.insync.replicas",
        {"topic.min.insync.replicas": "2", "replication.factor": "1"},
    ),
    "compaction waits a year": Harm(
        ("topic.min.compaction.lag.ms",), "Topic Configs: min.compaction.lag.ms", {"topic.min.compaction.lag.ms": "31536000000"}
    ),
    "a flush each millisecond": Harm(("topic.flush.ms",), "Topic Configs: flush.ms", {"topic.flush.ms": "1"}),
    "segments of 16 KiB": Harm(("topic.segment.bytes",), "Topic Configs: segment.bytes", {"topic.segment.bytes": "16384"}),
    "old records are refused": Harm(
        ("topic.message.timestamp.before.max.ms",),
        "KIP-937",
        {"topic.message.timestamp.before.max.ms": "1000"},
        streams_of(release="3.9.1"),
    ),
    "records of one KB": Harm(
        ("topic.max.message.bytes",), "Topic Configs: max.message.bytes", {"topic.max.message.bytes": "1024"}
    ),
    "tiny index": Harm(("topic.segment.index.bytes",), "Topic Configs: segment.index.bytes", {"topic.segment.index.bytes": "4"}),
    "acks 0": Harm(("acks",), "Producer Configs: acks", {"producer.acks": "0"}),
    "acks 1": Harm(("acks",), "Producer Configs: acks", {"acks": "1"}),
    "ten in flight": Harm(
        ("max.in.flight.requests.per.connection",),
        "Producer Configs: max.in.flight",
        {"producer.max.in.flight.requests.per.connection": "10"},
    ),
    "delivery shorter than a request": Harm(
        ("delivery.timeout.ms",), "Producer Configs: delivery.timeout.ms", {"producer.delivery.timeout.ms": "10000"}
    ),
    "lingers a minute": Harm(
        ("linger.ms",), "Producer Configs: linger.ms", {"producer.linger.ms": "60000", "producer.delivery.timeout.ms": "180000"}
    ),
    "no batches (again)": Harm(("batch.size",), "Producer Configs: batch.size", {"producer.batch.size": "0"}),
    "a buffer smaller than a batch": Harm(
        ("buffer.memory",), "Producer Configs: buffer.memory", {"producer.buffer.memory": "8192"}
    ),
    "blocks for 1 ms": Harm(("max.block.ms",), "Producer Configs: max.block.ms", {"producer.max.block.ms": "1"}),
    "records of 1 KB": Harm(("max.request.size",), "Producer Configs: max.request.size", {"producer.max.request.size": "1024"}),
    "a codec that is none": Harm(
        ("compression.type",), "Producer Configs: compression.type", {"producer.compression.type": "snapy"}
    ),
    "a level that gzip has not": Harm(
        ("compression.gzip.level",), "KIP-390", {"producer.compression.gzip.level": "12"}, streams_of(release="3.9.1")
    ),
    "transactions longer than brokers take": Harm(
        ("transaction.timeout.ms",),
        "Broker Configs: transaction.max.timeout.ms",
        {"producer.transaction.timeout.ms": "3600000", "processing.guarantee": "exactly_once_v2"},
    ),
    "transactions shorter than commits": Harm(
        ("transaction.timeout.ms", "commit.interval.ms"),
        "KAFKA-12499",
        {"processing.guarantee": "exactly_once_v2", "producer.transaction.timeout.ms": "10000", "commit.interval.ms": "30000"},
    ),
    "a transactional id of one's own": Harm(
        ("transactional.id",),
        "Streams developer guide: settings that Streams controls",
        {"producer.transactional.id": "mine", "processing.guarantee": "exactly_once_v2"},
    ),
    "retries without a pause": Harm(
        ("retry.backoff.ms",), "Producer Configs: retry.backoff.ms", {"producer.retry.backoff.ms": "0"}
    ),
    "a request of the producer of 100 ms": Harm(
        ("request.timeout.ms",), "Producer Configs: request.timeout.ms", {"producer.request.timeout.ms": "100"}
    ),
    "metadata forgotten at once": Harm(
        ("metadata.max.idle.ms",), "Producer Configs: metadata.max.idle.ms valid values", {"producer.metadata.max.idle.ms": "100"}
    ),
    "no offset: stop": Harm(("auto.offset.reset",), "Consumer Configs: auto.offset.reset", {"consumer.auto.offset.reset": "none"}),
    "old spelling of reset": Harm(
        ("auto.offset.reset",), "Consumer Configs: auto.offset.reset", {"auto.offset.reset": "smallest"}, consumers
    ),
    "auto commit in Streams": Harm(
        ("enable.auto.commit",), "Streams developer guide: enable.auto.commit", {"consumer.enable.auto.commit": "true"}
    ),
    "assignor of consumers in Streams": Harm(
        ("partition.assignment.strategy",),
        "Streams developer guide: settings that Streams controls",
        {"consumer.partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor"},
    ),
    "session shorter than the brokers take": Harm(
        ("session.timeout.ms",),
        "Broker Configs: group.min.session.timeout.ms",
        {"session.timeout.ms": "3000", "heartbeat.interval.ms": "1000"},
    ),
    "polls each ten seconds": Harm(("max.poll.interval.ms",), "KIP-62", {"max.poll.interval.ms": "10000"}, streams_of(log=20 * M)),
    "a record a poll (again)": Harm(
        ("max.poll.records",), "Consumer Configs: max.poll.records", {"consumer.max.poll.records": "1"}
    ),
    "fetches wait longer than a request": Harm(
        ("fetch.max.wait.ms",), "Consumer Configs: fetch.max.wait.ms", {"consumer.fetch.max.wait.ms": "60000"}
    ),
    "a call of the consumer of 100 ms": Harm(("default.api.timeout.ms",), "KIP-266", {"consumer.default.api.timeout.ms": "100"}),
    "topics seen after a week": Harm(
        ("metadata.max.age.ms",), "Consumer Configs: metadata.max.age.ms", {"metadata.max.age.ms": "604800000"}
    ),
    "metadata each 10 ms": Harm(("metadata.max.age.ms",), "Consumer Configs: metadata.max.age.ms", {"metadata.max.age.ms": "10"}),
    "reconnects after an hour": Harm(
        ("reconnect.backoff.max.ms",), "Consumer Configs: reconnect.backoff.max.ms", {"reconnect.backoff.max.ms": "3600000"}
    ),
    "bootstraps all the time": Harm(
        ("metadata.recovery.rebootstrap.trigger.ms",),
        "KIP-1102",
        {"metadata.recovery.rebootstrap.trigger.ms": "0"},
        streams_of(release="4.1.1"),
    ),
    "internal topics are made": Harm(
        ("allow.auto.create.topics",), "KIP-361; Streams sets false", {"consumer.allow.auto.create.topics": "true"}
    ),
    "host names are not verified": Harm(
        ("ssl.endpoint.identification.algorithm",),
        "Consumer Configs: ssl.endpoint.identification.algorithm",
        {"ssl.endpoint.identification.algorithm": "", "security.protocol": "SSL"},
    ),
    "TLS 1.0": Harm(
        ("ssl.enabled.protocols",),
        "Consumer Configs: ssl.enabled.protocols",
        {"ssl.enabled.protocols": "TLSv1,TLSv1.1", "security.protocol": "SSL"},
    ),
    "a password that is never sent": Harm(
        ("security.protocol", "sasl.jaas.config", "sasl.mechanism"),
        "Consumer Configs: security.protocol",
        {
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": 'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";',
        },
    ),
    "a password in the clear": Harm(
        ("security.protocol",), "Kafka security: SASL/PLAIN", {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    ),
    "a protocol that is none": Harm(("security.protocol",), "Consumer Configs: security.protocol", {"security.protocol": "TLS"}),
    "a mechanism that is none": Harm(
        ("sasl.mechanism",), "Kafka security: SASL/SCRAM", {"sasl.mechanism": "SCRAM-SHA-1", "security.protocol": "SASL_SSL"}
    ),
    "threads without tasks": Harm(
        ("num.stream.threads",), "Streams architecture: threads", {"num.stream.threads": "64"}, streams_of(threads=64, clients=2)
    ),
    "polls for a minute": Harm(("poll.ms",), "Streams Configs: poll.ms", {"poll.ms": "120000"}),
    "commits each millisecond": Harm(
        ("commit.interval.ms",),
        "Streams Configs: commit.interval.ms",
        {"commit.interval.ms": "1", "processing.guarantee": "exactly_once_v2"},
    ),
    "a cache of 50 GB": Harm(
        ("statestore.cache.max.bytes",), "KIP-770", {"statestore.cache.max.bytes": "53687091200"}, streams_of(release="3.9.1")
    ),
    "two caches": Harm(
        ("cache.max.bytes.buffering", "statestore.cache.max.bytes"),
        "KIP-770",
        {"cache.max.bytes.buffering": "1048576", "statestore.cache.max.bytes": "10485760"},
    ),
    "waits for the other side for a day": Harm(("max.task.idle.ms",), "KIP-353; KIP-695", {"max.task.idle.ms": "86400000"}),
    "an upgrade from a release that is gone": Harm(
        ("upgrade.from",), "4.0 upgrade guide", {"upgrade.from": "0.10.0"}, streams_of(release="4.0.1")
    ),
    "metrics of before": Harm(
        ("built.in.metrics.version",), "3.0 upgrade guide", {"built.in.metrics.version": "0.10.0-2.4"}, streams_of(release="3.9.1")
    ),
    "no samples": Harm(("metrics.num.samples",), "Streams Configs", {"metrics.num.samples": "0"}),
    "repartition topics are never purged": Harm(
        ("repartition.purge.interval.ms",),
        "KIP-811",
        {"repartition.purge.interval.ms": "9223372036854775807"},
        streams_of(release="3.9.1"),
    ),
    "an address without a port (again)": Harm(
        ("application.server",), "Streams Configs: application.server", {"application.server": "host-1"}
    ),
    "brokers without a port": Harm(
        ("bootstrap.servers",), "Streams Configs: bootstrap.servers", {"bootstrap.servers": "broker-1,broker-2"}
    ),
    "optimized: true": Harm(
        ("topology.optimization",), "KIP-295; Streams Configs: valid values", {"topology.optimization": "true"}
    ),
    "no retention of windows": Harm(
        ("windowstore.changelog.additional.retention.ms",),
        "Streams Configs",
        {"windowstore.changelog.additional.retention.ms": "-1"},
    ),
    "a store type that is none": Harm(
        ("default.dsl.store",), "KIP-591", {"default.dsl.store": "rocksdb"}, streams_of(release="3.9.1")
    ),
    "group id of one's own": Harm(
        ("group.id",), "Streams developer guide: settings that Streams controls", {"consumer.group.id": "other"}
    ),
    "warm-ups negative": Harm(("max.warmup.replicas",), "Streams Configs", {"max.warmup.replicas": "-1"}),
    "retry back-off beyond its maximum": Harm(
        ("retry.backoff.ms",), "KIP-580", {"retry.backoff.ms": "5000", "retry.backoff.max.ms": "1000"}, streams_of(release="3.9.1")
    ),
    "streams protocol and static": Harm(
        ("group.instance.id",),
        "KIP-1071: static membership",
        {"group.instance.id": "i", "group.protocol": "streams"},
        streams_of(release="4.1.1"),
    ),
    "session of the client is ignored": Harm(
        ("session.timeout.ms",), "KIP-1071", {"group.protocol": "streams", "session.timeout.ms": "60000"}, by_broker_of()
    ),
    "warm-ups of the client are ignored": Harm(
        ("max.warmup.replicas",), "KIP-1071", {"group.protocol": "streams", "max.warmup.replicas": "6"}, by_broker_of()
    ),
    "a streams protocol before it was there": Harm(
        ("group.protocol",), "KIP-1071", {"group.protocol": "streams"}, streams_of(release="3.9.1")
    ),
    "heartbeat as long as the session": Harm(
        ("streams.heartbeat.interval.ms",),
        "Group Configs",
        {},
        by_broker_of(
            config={"streams.heartbeat.interval.ms": 15000, "streams.session.timeout.ms": 45000}
            | {"streams.heartbeat.interval.ms": 45000}
        ),
    ),
    "group waits ten minutes at first": Harm(
        ("streams.initial.rebalance.delay.ms",),
        "Group Configs",
        {},
        by_broker_of(config={"streams.initial.rebalance.delay.ms": 600000}),
    ),
    "session of minutes, group": Harm(
        ("streams.session.timeout.ms",), "Group Configs", {}, by_broker_of(config={"streams.session.timeout.ms": 600000})
    ),
    "remote assignor that is none": Harm(
        ("group.remote.assignor",),
        "KIP-848",
        {"group.protocol": "consumer", "group.remote.assignor": "sticky"},
        consumers_of(release="4.1.1"),
    ),
    "auto commit each ms": Harm(
        ("auto.commit.interval.ms",),
        "Consumer Configs: auto.commit.interval.ms",
        {"auto.commit.interval.ms": "1", "enable.auto.commit": "true"},
        consumers,
    ),
    "a typo in isolation": Harm(
        ("isolation.level",), "Consumer Configs: isolation.level", {"isolation.level": "read_comitted"}, consumers
    ),
    "fetches of nothing": Harm(("fetch.max.bytes",), "Consumer Configs: fetch.max.bytes", {"fetch.max.bytes": "0"}, consumers),
    "fetch of a partition of 1 byte": Harm(
        ("max.partition.fetch.bytes",), "Consumer Configs: max.partition.fetch.bytes", {"max.partition.fetch.bytes": "1"}, consumers
    ),
    "polls of zero records": Harm(
        ("max.poll.records",), "Consumer Configs: max.poll.records", {"max.poll.records": "0"}, consumers
    ),
    "receive buffer of 1 KB": Harm(
        ("receive.buffer.bytes",), "Consumer Configs: receive.buffer.bytes", {"receive.buffer.bytes": "1024"}, consumers
    ),
    "call of 0 ms": Harm(("default.api.timeout.ms",), "KIP-266", {"default.api.timeout.ms": "0"}, consumers),
    "consumer: requests of 5 ms": Harm(
        ("request.timeout.ms",), "Consumer Configs: request.timeout.ms", {"request.timeout.ms": "5"}, consumers
    ),
}
