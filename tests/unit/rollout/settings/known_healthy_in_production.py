"""Configurations as applications in production have them: of vendors' guides, of frameworks, of one goal each."""

from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams
from tests.unit.rollout.settings.healthy import DISK, RESILIENT, V2, Healthy, M

_MANAGED = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "client.dns.lookup": "use_all_dns_ips"}
STREAMS: dict[str, Healthy] = {
    "a cloud's guide for Streams": Healthy(
        RESILIENT
        | _MANAGED
        | {
            "bootstrap.servers": "pkc-1.eu.example.com:9092",
            "session.timeout.ms": "45000",
            "request.timeout.ms": "20000",
            "retry.backoff.ms": "500",
            "producer.confluent.batch.expiry.ms": "9223372036854775807",
            "producer.request.timeout.ms": "300000",
            "producer.max.block.ms": "9223372036854775807",
        }
    ),
    "event hubs": Healthy(
        RESILIENT
        | _MANAGED
        | {
            "metadata.max.age.ms": "180000",
            "connections.max.idle.ms": "180000",
            "request.timeout.ms": "60000",
            "producer.max.request.size": "1000000",
            "session.timeout.ms": "30000",
            "producer.compression.type": "none",
        }
    ),
    "a managed cluster with roles": Healthy(
        RESILIENT
        | {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "AWS_MSK_IAM",
            "sasl.client.callback.handler.class": "software.amazon.msk.auth.iam.IAMClientCallbackHandler",
            "reconnect.backoff.ms": "1000",
        }
    ),
    "keys and certificates": Healthy(
        RESILIENT
        | {
            "security.protocol": "SSL",
            "ssl.keystore.location": "/etc/kafka/key.p12",
            "ssl.keystore.type": "PKCS12",
            "ssl.truststore.location": "/etc/kafka/trust.jks",
            "ssl.endpoint.identification.algorithm": "https",
        }
    ),
    "a framework's own": Healthy(
        RESILIENT
        | {
            "quarkus.kafka-streams.topics": "orders",
            "kafka-streams.cache.max.bytes.buffering": "10240",
            "kafka-streams.commit.interval.ms": "1000",
        }
    ),
    "several addresses, also of IPv6": Healthy(
        RESILIENT | {"bootstrap.servers": "SSL://b0:9092,[2001:db8::1]:9092, 10.0.0.1:9092,"}
    ),
    "addresses that are filled in": Healthy(
        RESILIENT | {"bootstrap.servers": "${BROKERS}", "application.server": "${POD_IP}:8080"}
    ),
    "queries between clients": Healthy(RESILIENT | {"application.server": "pod-0.app.svc.cluster.local:8080"}),
    "many small fetches avoided": Healthy(RESILIENT | {"consumer.fetch.min.bytes": "100000", "consumer.fetch.max.wait.ms": "500"}),
    "restores made fast": Healthy(
        RESILIENT
        | {
            "max.warmup.replicas": "8",
            "restore.consumer.max.poll.records": "10000",
            "restore.consumer.max.partition.fetch.bytes": "10485760",
            "restore.consumer.fetch.max.bytes": "104857600",
            "restore.consumer.receive.buffer.bytes": "1048576",
        },
        lambda: streams(Shape(log=3 * M, clients=4), {"num.standby.replicas": 1}),
    ),
    "each result at once": Healthy(
        RESILIENT | {"statestore.cache.max.bytes": "0", "commit.interval.ms": "100", "producer.linger.ms": "0"}
    ),
    "few large batches": Healthy(
        RESILIENT
        | {
            "producer.linger.ms": "200",
            "producer.batch.size": "524288",
            "producer.buffer.memory": "134217728",
            "producer.compression.type": "zstd",
            "producer.compression.zstd.level": "3",
        }
    ),
    "records of 8 MB": Healthy(
        RESILIENT
        | {
            "producer.max.request.size": "8388608",
            "topic.max.message.bytes": "8388608",
            "consumer.max.partition.fetch.bytes": "8388608",
            "producer.buffer.memory": "67108864",
        }
    ),
    "input of another's transactions": Healthy(RESILIENT | {"consumer.isolation.level": "read_committed"}),
    "at least once, said": Healthy(RESILIENT | {"processing.guarantee": "at_least_once", "commit.interval.ms": "30000"}),
    "exactly-once on few partitions": Healthy(RESILIENT | V2 | {"commit.interval.ms": "500"}),
    "exactly-once, with idempotence said": Healthy(
        RESILIENT | V2 | {"producer.enable.idempotence": "true", "producer.max.in.flight.requests.per.connection": "5"}
    ),
    "hour-long outages outlasted": Healthy(
        RESILIENT
        | {"producer.delivery.timeout.ms": "2147483647", "task.timeout.ms": "3600000", "reconnect.backoff.max.ms": "10000"}
    ),
    "internal topics kept for ever": Healthy(RESILIENT | {"topic.retention.ms": "-1", "topic.retention.bytes": "-1"}),
    "internal topics in small files": Healthy(
        RESILIENT | {"topic.segment.bytes": "16777216", "topic.segment.ms": "3600000", "topic.compression.type": "producer"}
    ),
    "changelogs compacted soon": Healthy(
        RESILIENT
        | {"topic.min.cleanable.dirty.ratio": "0.1", "topic.max.compaction.lag.ms": "3600000", "topic.cleanup.policy": "compact"}
    ),
    "optimisations by name": Healthy(
        RESILIENT | {"topology.optimization": "reuse.ktable.source.topics, merge.repartition.topics"},
        lambda: streams(Shape(release="4.1.1"), {"num.standby.replicas": 1}),
    ),
    "new input of the last day": Healthy(
        RESILIENT | {"auto.offset.reset": "by_duration:P1DT12H"},
        lambda: streams(Shape(release="4.1.1"), {"num.standby.replicas": 1}),
    ),
    "a partitioner of its own": Healthy(RESILIENT | {"producer.partitioner.class": "org.example.ByRegion"}),
    "errors handled by itself": Healthy(
        RESILIENT
        | {
            "default.deserialization.exception.handler": "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler",
            "default.production.exception.handler": "org.example.Handler",
        }
    ),
    "observed closely": Healthy(
        RESILIENT | {"metrics.recording.level": "DEBUG", "metrics.num.samples": "3", "metrics.sample.window.ms": "15000"}
    ),
    "brokers looked up again soon": Healthy(
        RESILIENT | {"metadata.recovery.strategy": "rebootstrap", "metadata.recovery.rebootstrap.trigger.ms": "60000"},
        lambda: streams(Shape(release="4.1.1"), {"num.standby.replicas": 1}),
    ),
    "a slow network": Healthy(
        RESILIENT
        | {
            "socket.connection.setup.timeout.ms": "30000",
            "socket.connection.setup.timeout.max.ms": "60000",
            "request.timeout.ms": "120000",
            "send.buffer.bytes": "-1",
            "receive.buffer.bytes": "-1",
        }
    ),
    "Windows": Healthy(DISK | {"state.dir": r"D:\kafka\state", "num.standby.replicas": "0"}),
}
OTHERS: dict[str, Healthy] = {
    "consumers that work for half an hour on each record": Healthy(
        {"max.poll.records": "1", "max.poll.interval.ms": "1800000"}, consumers
    ),
    "consumers that read much at a time": Healthy(
        {
            "max.poll.records": "5000",
            "fetch.min.bytes": "1048576",
            "fetch.max.wait.ms": "1000",
            "max.partition.fetch.bytes": "5242880",
        },
        consumers,
    ),
    "consumers of a day": Healthy({"auto.offset.reset": "by_duration:PT24H"}, lambda: consumers(release="4.1.1")),
    "consumers behind a load balancer": Healthy(
        {"connections.max.idle.ms": "180000", "metadata.max.age.ms": "60000", "reconnect.backoff.max.ms": "5000"}, consumers
    ),
    "consumers with a heartbeat each second": Healthy({"heartbeat.interval.ms": "1000", "session.timeout.ms": "20000"}, consumers),
    "streams group, large records": Healthy(
        DISK | {"group.protocol": "streams", "producer.max.request.size": "5242880", "topic.max.message.bytes": "5242880"},
        by_broker,
    ),
    "streams group, long session": Healthy(
        DISK | {"group.protocol": "streams"},
        lambda: by_broker({"streams.session.timeout.ms": 60_000, "streams.heartbeat.interval.ms": 15_000}),
    ),
}
IN_PRODUCTION: dict[str, Healthy] = STREAMS | OTHERS
