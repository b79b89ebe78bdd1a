"""Configurations that are unusual and sound: what an application may well say, key by key."""

from tests.unit.rollout.settings.harm import by_broker_of, consumers_of, streams_of
from tests.unit.rollout.settings.healthy import DISK, Healthy

OAUTH, CONSUMER = "org.apache.kafka.common.security.oauthbearer", "org.apache.kafka.clients.consumer"
BY_KEY: dict[str, Healthy] = {
    "serdes and handlers of 2.6.3": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="2.6.3"),
    ),
    "serdes and handlers of 2.8.2": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="2.8.2"),
    ),
    "serdes and handlers of 3.0.2": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="3.0.2"),
    ),
    "serdes and handlers of 3.3.2": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="3.3.2"),
    ),
    "serdes and handlers of 3.6.2": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="3.6.2"),
    ),
    "serdes and handlers of 4.0.1": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="4.0.1"),
    ),
    "serdes and handlers of 4.1.1": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="4.1.1"),
    ),
    "serdes and handlers of 4.2.1": Healthy(
        DISK
        | {
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$ByteArraySerde",
            "default.timestamp.extractor": "org.apache.kafka.streams.processor.WallclockTimestampExtractor",
        },
        streams_of(release="4.2.1"),
    ),
    "serdes of one's own": Healthy(
        DISK
        | {
            "default.key.serde": "io.confluent.kafka.streams.serdes.avro.SpecificAvroSerde",
            "default.value.serde": "com.example.OrderSerde",
        },
        streams_of(release="3.9.1"),
    ),
    "handlers that continue": Healthy(
        DISK | {"default.deserialization.exception.handler": "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"},
        streams_of(release="3.9.1"),
    ),
    "handlers that fail": Healthy(
        DISK
        | {
            "default.deserialization.exception.handler": "org.apache.kafka.streams.errors.LogAndFailExceptionHandler",
            "default.production.exception.handler": "org.apache.kafka.streams.errors.DefaultProductionExceptionHandler",
        },
        streams_of(release="3.9.1"),
    ),
    "processing continues": Healthy(
        DISK | {"processing.exception.handler": "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"},
        streams_of(release="3.9.1"),
    ),
    "processing fails, 4.1": Healthy(
        DISK
        | {
            "processing.exception.handler": "org.apache.kafka.streams.errors.LogAndFailProcessingExceptionHandler",
            "deserialization.exception.handler": "org.apache.kafka.streams.errors.LogAndFailExceptionHandler",
        },
        streams_of(release="4.1.1"),
    ),
    "skips invalid time stamps": Healthy(
        DISK | {"default.timestamp.extractor": "org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp"},
        streams_of(release="3.9.1"),
    ),
    "partition time": Healthy(
        DISK | {"default.timestamp.extractor": "org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp"},
        streams_of(release="3.9.1"),
    ),
    "a list serde": Healthy(
        DISK
        | {
            "default.list.key.serde.inner": "org.apache.kafka.common.serialization.Serdes$IntegerSerde",
            "default.list.key.serde.type": "java.util.ArrayList",
        },
        streams_of(release="3.9.1"),
    ),
    "a class as Kafka prints it": Healthy(
        DISK | {"default.key.serde": "class org.apache.kafka.common.serialization.Serdes$LongSerde"}, streams_of(release="3.9.1")
    ),
    "rocksdb by name": Healthy(
        DISK | {"dsl.store.suppliers.class": "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$RocksDBDslStoreSuppliers"},
        streams_of(release="3.9.1"),
    ),
    "a setter of one's own": Healthy(
        DISK | {"rocksdb.config.setter": "com.example.BoundedMemoryRocksDBConfig"}, streams_of(release="3.9.1")
    ),
    "reporters": Healthy(
        DISK | {"metric.reporters": "org.apache.kafka.common.metrics.JmxReporter,com.example.DatadogReporter"},
        streams_of(release="3.9.1"),
    ),
    "a Scala class": Healthy(
        DISK | {"default.key.serde": "org.apache.kafka.streams.scala.serialization.Serdes$String"}, streams_of(release="3.9.1")
    ),
    "interceptors": Healthy(
        DISK
        | {
            "consumer.interceptor.classes": "io.confluent.monitoring.clients.interceptor.MonitoringConsumerInterceptor",
            "producer.interceptor.classes": "brave.kafka.clients.TracingProducerInterceptor",
        },
        streams_of(release="3.9.1"),
    ),
    "wrapper of processors": Healthy(
        DISK | {"processor.wrapper.class": "org.apache.kafka.streams.processor.internals.NoOpProcessorWrapper"},
        streams_of(release="4.1.1"),
    ),
    "an assignor of one's own": Healthy(DISK | {"metric.reporters": ""}, streams_of(release="3.9.1")),
    "ssl with checks of names": Healthy(
        DISK
        | {
            "security.protocol": "SSL",
            "ssl.truststore.location": "/etc/t.jks",
            "ssl.endpoint.identification.algorithm": "https",
            "ssl.enabled.protocols": "TLSv1.2,TLSv1.3",
        },
        streams_of(release="3.9.1"),
    ),
    "only TLS 1.3": Healthy(
        DISK | {"security.protocol": "SSL", "ssl.enabled.protocols": "TLSv1.3", "ssl.protocol": "TLSv1.3"},
        streams_of(release="3.9.1"),
    ),
    "mutual TLS with PEM": Healthy(
        DISK
        | {
            "security.protocol": "SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": "/etc/k.pem",
            "ssl.truststore.location": "/etc/t.pem",
            "ssl.truststore.type": "PEM",
        },
        streams_of(release="3.9.1"),
    ),
    "scram over TLS": Healthy(
        DISK | {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512"}, streams_of(release="3.9.1")
    ),
    "scram inside a mesh": Healthy(
        DISK | {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-256"}, streams_of(release="3.9.1")
    ),
    "kerberos": Healthy(
        DISK | {"security.protocol": "SASL_PLAINTEXT", "sasl.kerberos.service.name": "kafka"}, streams_of(release="3.9.1")
    ),
    "plain over TLS": Healthy(DISK | {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, streams_of(release="3.9.1")),
    "oauth": Healthy(
        DISK
        | {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
            "sasl.oauthbearer.token.endpoint.url": "https://idp.example.com/token",
        },
        streams_of(release="3.7.2"),
    ),
    "oauth of 3.3": Healthy(
        DISK
        | {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": f"{OAUTH}.secured.OAuthBearerLoginCallbackHandler",
        },
        streams_of(release="3.3.2"),
    ),
    "a provider's mechanism": Healthy(
        DISK
        | {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "AWS_MSK_IAM",
            "sasl.client.callback.handler.class": "software.amazon.msk.auth.iam.IAMClientCallbackHandler",
        },
        streams_of(release="3.9.1"),
    ),
    "plain text said": Healthy(DISK | {"security.protocol": "PLAINTEXT"}, streams_of(release="3.9.1")),
    "checksums said": Healthy(DISK | {"consumer.check.crcs": "true"}, streams_of(release="3.9.1")),
    "admin retries said": Healthy(
        DISK | {"admin.retries": "2147483647", "admin.retry.backoff.ms": "200"}, streams_of(release="3.9.1")
    ),
    "admin retries ten times": Healthy(DISK | {"admin.retries": "10"}, streams_of(release="3.9.1")),
    "admin in a hurry, not too much": Healthy(
        DISK | {"admin.default.api.timeout.ms": "30000", "admin.request.timeout.ms": "15000"}, streams_of(release="3.9.1")
    ),
    "backoff at its maximum": Healthy(DISK | {"retry.backoff.ms": "1000"}, streams_of(release="3.9.1")),
    "backoff with a maximum": Healthy(
        DISK | {"retry.backoff.ms": "2000", "retry.backoff.max.ms": "10000"}, streams_of(release="3.9.1")
    ),
    "backoff before 3.7": Healthy(DISK | {"retry.backoff.ms": "2000"}, streams_of(release="3.6.2")),
    "index of 1 MiB": Healthy(DISK | {"topic.segment.index.bytes": "1048576"}, streams_of(release="3.9.1")),
    "segments of 50 MiB": Healthy(DISK | {"topic.segment.bytes": "52428800"}, streams_of(release="3.9.1")),
    "segments of an hour": Healthy(DISK | {"topic.segment.ms": "3600000"}, streams_of(release="3.9.1")),
    "compaction with a bound": Healthy(
        DISK | {"topic.max.compaction.lag.ms": "86400000", "topic.min.cleanable.dirty.ratio": "0.3"}, streams_of(release="3.9.1")
    ),
    "compaction at once": Healthy(DISK | {"topic.min.cleanable.dirty.ratio": "0.01"}, streams_of(release="3.9.1")),
    "records of 5 MB": Healthy(
        DISK
        | {
            "producer.max.request.size": "5242880",
            "topic.max.message.bytes": "5242880",
            "consumer.max.partition.fetch.bytes": "5242880",
        },
        streams_of(release="3.9.1"),
    ),
    "topics compressed": Healthy(DISK | {"topic.compression.type": "zstd"}, streams_of(release="3.9.1")),
    "replication by brokers": Healthy(DISK | {"replication.factor": "-1"}, streams_of(release="3.9.1")),
    "five replicas": Healthy(DISK | {"replication.factor": "5", "topic.min.insync.replicas": "3"}, streams_of(release="3.9.1")),
    "acks said": Healthy(
        DISK | {"acks": "all", "producer.max.in.flight.requests.per.connection": "5"}, streams_of(release="3.9.1")
    ),
    "one in flight": Healthy(DISK | {"producer.max.in.flight.requests.per.connection": "1"}, streams_of(release="3.9.1")),
    "idempotence said": Healthy(DISK | {"producer.enable.idempotence": "true"}, streams_of(release="3.9.1")),
    "compression of the producer": Healthy(DISK | {"producer.compression.type": "lz4"}, streams_of(release="3.9.1")),
    "zstd with a level": Healthy(
        DISK | {"producer.compression.type": "zstd", "producer.compression.zstd.level": "6"}, streams_of(release="3.9.1")
    ),
    "lingers a little": Healthy(DISK | {"producer.linger.ms": "250", "producer.batch.size": "262144"}, streams_of(release="3.9.1")),
    "no linger": Healthy(DISK | {"producer.linger.ms": "0"}, streams_of(release="3.9.1")),
    "large buffer": Healthy(DISK | {"producer.buffer.memory": "134217728"}, streams_of(release="3.9.1")),
    "delivers for ten minutes": Healthy(DISK | {"producer.delivery.timeout.ms": "600000"}, streams_of(release="3.9.1")),
    "adaptive partitioning off": Healthy(
        DISK | {"producer.partitioner.adaptive.partitioning.enable": "false"}, streams_of(release="3.9.1")
    ),
    "exactly once with its default": Healthy(
        DISK | {"processing.guarantee": "exactly_once_v2", "producer.transaction.timeout.ms": "60000"}, streams_of(release="3.9.1")
    ),
    "exactly once, slow commits": Healthy(
        DISK | {"processing.guarantee": "exactly_once_v2", "commit.interval.ms": "1000"}, streams_of(release="3.9.1")
    ),
    "exactly once, beta in 2.8": Healthy(DISK | {"processing.guarantee": "exactly_once_beta"}, streams_of(release="2.8.2")),
    "at least once said": Healthy(DISK | {"processing.guarantee": "at_least_once"}, streams_of(release="3.9.1")),
    "commit each second": Healthy(DISK | {"commit.interval.ms": "1000"}, streams_of(release="3.9.1")),
    "commit each two minutes": Healthy(DISK | {"commit.interval.ms": "120000"}, streams_of(release="3.9.1")),
    "no cache": Healthy(DISK | {"statestore.cache.max.bytes": "0"}, streams_of(release="3.9.1")),
    "cache of a GB": Healthy(DISK | {"statestore.cache.max.bytes": "1073741824"}, streams_of(release="3.9.1")),
    "old name of the cache": Healthy(DISK | {"cache.max.bytes.buffering": "52428800"}, streams_of(release="3.2.3")),
    "all waits for data": Healthy(DISK | {"max.task.idle.ms": "-1"}, streams_of(release="3.9.1")),
    "waits a second for data": Healthy(DISK | {"max.task.idle.ms": "1000"}, streams_of(release="3.9.1")),
    "does not wait": Healthy(DISK | {"max.task.idle.ms": "0"}, streams_of(release="3.9.1")),
    "task time-out of ten minutes": Healthy(DISK | {"task.timeout.ms": "600000"}, streams_of(release="3.9.1")),
    "cleans after a day": Healthy(DISK | {"state.cleanup.delay.ms": "86400000"}, streams_of(release="3.9.1")),
    "session of ten seconds, as before 3.0": Healthy(
        DISK | {"session.timeout.ms": "10000", "heartbeat.interval.ms": "3000"}, streams_of(release="3.9.1")
    ),
    "session of two minutes": Healthy(
        DISK | {"session.timeout.ms": "120000", "heartbeat.interval.ms": "10000"}, streams_of(release="3.9.1")
    ),
    "ten minutes between polls": Healthy(DISK | {"max.poll.interval.ms": "600000"}, streams_of(release="3.9.1")),
    "polls of 5000": Healthy(DISK | {"consumer.max.poll.records": "5000"}, streams_of(release="3.9.1")),
    "polls of 200": Healthy(DISK | {"consumer.max.poll.records": "200"}, streams_of(release="3.9.1")),
    "fetches wait a bit": Healthy(
        DISK | {"consumer.fetch.min.bytes": "65536", "consumer.fetch.max.wait.ms": "200"}, streams_of(release="3.9.1")
    ),
    "large restores": Healthy(
        DISK
        | {
            "restore.consumer.max.partition.fetch.bytes": "8388608",
            "restore.consumer.fetch.max.bytes": "104857600",
            "restore.consumer.receive.buffer.bytes": "1048576",
        },
        streams_of(release="3.9.1"),
    ),
    "buffers by the system": Healthy(DISK | {"receive.buffer.bytes": "-1", "send.buffer.bytes": "-1"}, streams_of(release="3.9.1")),
    "metadata each minute": Healthy(DISK | {"metadata.max.age.ms": "60000"}, streams_of(release="3.9.1")),
    "metadata each fifteen minutes": Healthy(DISK | {"metadata.max.age.ms": "900000"}, streams_of(release="3.9.1")),
    "topology optimized": Healthy(DISK | {"topology.optimization": "all"}, streams_of(release="3.9.1")),
    "some optimizations": Healthy(
        DISK | {"topology.optimization": "reuse.ktable.source.topics,merge.repartition.topics"}, streams_of(release="3.7.2")
    ),
    "metrics of debugging": Healthy(
        DISK | {"metrics.recording.level": "DEBUG", "metrics.sample.window.ms": "10000", "metrics.num.samples": "6"},
        streams_of(release="3.9.1"),
    ),
    "metrics are pushed": Healthy(DISK | {"enable.metrics.push": "false"}, streams_of(release="3.9.1")),
    "from the end where nothing is": Healthy(DISK | {"auto.offset.reset": "latest"}, streams_of(release="3.9.1")),
    "since an hour": Healthy(DISK | {"auto.offset.reset": "by_duration:PT1H"}, streams_of(release="4.1.1")),
    "classic said": Healthy(DISK | {"group.protocol": "classic"}, streams_of(release="4.1.1")),
    "classic said in 3.9": Healthy(DISK | {"consumer.group.protocol": "classic"}, streams_of(release="3.9.1")),
    "bootstraps after a minute": Healthy(DISK | {"metadata.recovery.rebootstrap.trigger.ms": "60000"}, streams_of(release="4.1.1")),
    "upgrade under way is over": Healthy(DISK | {"client.id": "orders-1"}, streams_of(release="3.9.1")),
    "twenty warm-ups for large groups": Healthy(
        DISK | {"max.warmup.replicas": "8", "acceptable.recovery.lag": "50000"}, streams_of(release="3.9.1", clients=6, tasks=48)
    ),
    "two standbys on five clients": Healthy(DISK | {"num.standby.replicas": "2"}, streams_of(release="3.9.1", clients=5)),
    "consumer: sticky": Healthy(
        {
            "partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
            "key.deserializer": "org.apache.kafka.common.serialization.StringDeserializer",
            "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
        },
        consumers_of(),
    ),
    "consumer: two strategies": Healthy(
        {"partition.assignment.strategy": f"{CONSUMER}.CooperativeStickyAssignor,{CONSUMER}.RangeAssignor"},
        consumers_of(),
    ),
    "consumer: librdkafka's names": Healthy({"partition.assignment.strategy": "cooperative-sticky"}, consumers_of()),
    "consumer: commits each second": Healthy({"enable.auto.commit": "true", "auto.commit.interval.ms": "1000"}, consumers_of()),
    "consumer: commits by hand": Healthy({"enable.auto.commit": "false", "max.poll.records": "50"}, consumers_of()),
    "consumer: read committed": Healthy({"isolation.level": "read_committed"}, consumers_of()),
    "consumer: remote range": Healthy(
        {"group.protocol": "CONSUMER", "group.remote.assignor": "range"}, consumers_of(release="4.0.1")
    ),
    "consumer: a remote assignor of one's own": Healthy(
        {"group.protocol": "consumer", "group.remote.assignor": "com.example.affinity"}, consumers_of(release="4.1.1")
    ),
    "consumer: avro": Healthy(
        {
            "key.deserializer": "org.apache.kafka.common.serialization.StringDeserializer",
            "value.deserializer": "io.confluent.kafka.serializers.KafkaAvroDeserializer",
            "schema.registry.url": "http://registry:8081",
        },
        consumers_of(),
    ),
    "consumer: json of connect": Healthy({"value.deserializer": "org.apache.kafka.connect.json.JsonDeserializer"}, consumers_of()),
    "consumer: checksums": Healthy({"check.crcs": "true", "exclude.internal.topics": "true"}, consumers_of()),
    "consumer: SASL": Healthy(
        {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.client.callback.handler.class": ""},
        consumers_of(),
    ),
    "consumer: reset none": Healthy({"auto.offset.reset": "none"}, consumers_of()),
    "by broker: longer session": Healthy(None, by_broker_of(config={"streams.session.timeout.ms": 60000})),
    "by broker: heartbeats of three seconds": Healthy(None, by_broker_of(config={"streams.heartbeat.interval.ms": 3000})),
    "by broker: serdes": Healthy(
        DISK | {"group.protocol": "streams", "default.key.serde": "org.apache.kafka.common.serialization.Serdes$UUIDSerde"},
        by_broker_of(),
    ),
    "by broker: TLS": Healthy(
        DISK | {"group.protocol": "streams", "security.protocol": "SSL", "ssl.truststore.location": "/etc/t.jks"}, by_broker_of()
    ),
}
