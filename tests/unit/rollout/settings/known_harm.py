"""Configurations whose harm is known from Kafka's documentation, KIPs and issues: what the doctor of settings is judged by.

Written from those sources, not from its rules. Each names the settings of which one must be in a finding.
"""

from tests.harness.groups_at_rest import consumers
from tests.unit.rollout.settings.harm import (
    EIGHT,
    MIN_TRAFFIC,
    ONCE,
    PACKAGE,
    PUBLIC,
    RACKED,
    STATE,
    TAGGED,
    ZONES,
    Harm,
    M,
    by_broker_of,
    consumers_of,
    one,
    streams_of,
)
from tests.unit.rollout.settings.known_harm_by_key import BY_KEY
from tests.unit.rollout.settings.known_harm_to_clients import TO_CLIENTS
from tests.unit.rollout.settings.known_harm_to_data import TO_DATA

from holdfast.rollout.settings.rule import Measure
from holdfast.rollout.streams.snapshot.snapshot import Stores

WARM_UPS: dict[str, Harm] = {
    "lag 0 on a large state": one("acceptable.recovery.lag", "0", "KIP-441", streams_of(log=3 * M)),
    "lag 0 on a small state": one("acceptable.recovery.lag", "0", "KIP-441", price=Measure.PROBING),
    "default lag, changelogs of 3 M": Harm(
        ("acceptable.recovery.lag", "max.warmup.replicas"), "KIP-441", STATE, streams_of(tasks=60, log=3 * M), Measure.PROBING
    ),
    "any lag counts as caught up": one(
        "acceptable.recovery.lag", "9223372036854775807", "KIP-441", streams_of(log=20 * M), Measure.RESTORING_S
    ),
    "a lag as large as the state": one(
        "acceptable.recovery.lag", "50000000", "KIP-441", streams_of(log=20 * M), Measure.RESTORING_S
    ),
    "lag -1": one("acceptable.recovery.lag", "-1", "Streams Configs: valid values"),
    "lag 0 with exactly-once": Harm(("acceptable.recovery.lag",), "KIP-98", ONCE | {"acceptable.recovery.lag": "0"}),
    "lag below the markers of three stores": Harm(
        ("acceptable.recovery.lag",), "KIP-98", ONCE | {"acceptable.recovery.lag": "4"}, streams_of(changelogs=3)
    ),
    "one warm-up, many tasks": one("max.warmup.replicas", "1", "KIP-441", streams_of(tasks=40, log=5 * M), Measure.PROBING),
    "one warm-up, eight clients": one("max.warmup.replicas", "1", "KIP-441", streams_of(log=5 * M, **EIGHT), Measure.PROBING),
    "default warm-ups, 90 tasks": Harm(
        ("max.warmup.replicas", "acceptable.recovery.lag"), "KIP-441", STATE, streams_of(tasks=90, log=2 * M), Measure.PROBING
    ),
    "all warm-ups at once": one("max.warmup.replicas", "1000", "KIP-441", streams_of(tasks=120, log=20 * M), Measure.AT_ONCE),
    "no warm-up": one("max.warmup.replicas", "0", "Streams Configs: at least 1"),
    "probing once a day": one("probing.rebalance.interval.ms", "86400000", "KIP-441", streams_of(log=3 * M), Measure.STABLE_S),
    "probing once a week": one("probing.rebalance.interval.ms", "604800000", "KIP-441", streams_of(log=3 * M), Measure.STABLE_S),
    "probing in hours": one(
        "probing.rebalance.interval.ms", "7200000", "KIP-441", streams_of(tasks=30, log=3 * M), Measure.STABLE_S
    ),
    "probing each minute, hours of restoring": one(
        "probing.rebalance.interval.ms", "60000", "KIP-441", streams_of(log=40 * M), Measure.PROBING
    ),
    "probing each second": one("probing.rebalance.interval.ms", "1000", "Streams Configs: at least 60000"),
    "the sticky assignor of before": one(
        "internal.task.assignor.class",
        f"{PACKAGE}.StickyTaskAssignor",
        "KIP-441",
        streams_of(release="3.5.2", log=10 * M),
        Measure.RESTORING_S,
    ),
    "the legacy sticky assignor": one(
        "internal.task.assignor.class",
        f"{PACKAGE}.LegacyStickyTaskAssignor",
        "KIP-441",
        streams_of(log=10 * M),
        Measure.RESTORING_S,
    ),
    "the public sticky assignor": one("task.assignor.class", PUBLIC, "KIP-924", streams_of(log=10 * M), Measure.RESTORING_S),
    "the assignor that ignores lags": one(
        "internal.task.assignor.class", f"{PACKAGE}.FallbackPriorTaskAssignor", "class FallbackPriorTaskAssignor"
    ),
    "warm-ups of an assignor without them": Harm(
        ("max.warmup.replicas",), "KIP-924", {"task.assignor.class": PUBLIC, "max.warmup.replicas": "8"}
    ),
}
STANDBYS: dict[str, Harm] = {
    "none, hours of state": Harm(
        ("num.standby.replicas",), "Streams developer guide: resiliency", STATE, streams_of(log=20 * M), Measure.RESTORING_S
    ),
    "none of a group of two": Harm(
        ("num.standby.replicas",),
        "Streams developer guide: resiliency",
        STATE,
        streams_of(clients=2, log=20 * M),
        Measure.RESTORING_S,
    ),
    "none, said": one(
        "num.standby.replicas", "0", "Streams developer guide: resiliency", streams_of(log=20 * M), Measure.RESTORING_S
    ),
    "as many as clients": one("num.standby.replicas", "3", "Streams Configs: num.standby.replicas"),
    "many more than clients": one("num.standby.replicas", "10", "Streams Configs: num.standby.replicas"),
    "one of one client": one("num.standby.replicas", "1", "Streams Configs: num.standby.replicas", streams_of(clients=1)),
    "two of two clients": one("num.standby.replicas", "2", "Streams Configs: num.standby.replicas", streams_of(clients=2)),
    "none of a streams group": Harm(("streams.num.standby.replicas",), "KIP-1071", group=by_broker_of(log=20 * M)),
    "more than brokers allow": Harm(
        ("streams.num.standby.replicas",), "KIP-1071", group=by_broker_of(config={"streams.num.standby.replicas": 3}, clients=5)
    ),
    "as many as clients of a streams group": Harm(
        ("streams.num.standby.replicas",), "KIP-1071", group=by_broker_of(config={"streams.num.standby.replicas": 2}, clients=2)
    ),
}
RACKS: dict[str, Harm] = {
    "a tag without a value": Harm(
        ("client.tag.zone",), "KIP-708", {"rack.aware.assignment.tags": "zone", "num.standby.replicas": "1"}, streams_of(tags=ZONES)
    ),
    "one of two tags without a value": Harm(
        ("client.tag.cluster",), "KIP-708", TAGGED | {"rack.aware.assignment.tags": "zone,cluster"}, streams_of(tags=ZONES)
    ),
    "a tag that one client lacks": Harm(("client.tag.zone",), "KIP-708", TAGGED, streams_of(tags=ZONES[:2])),
    "a tag that all have alike": Harm(
        ("client.tag.zone",), "KIP-708", TAGGED, streams_of(tags=tuple((("zone", "a"),) for _ in range(3)))
    ),
    "tags without standbys": Harm(
        ("rack.aware.assignment.tags", "num.standby.replicas"),
        "KIP-708",
        TAGGED | {"num.standby.replicas": "0"},
        streams_of(tags=ZONES),
    ),
    "six tags": Harm(
        ("rack.aware.assignment.tags",),
        "KIP-708: five at most",
        {"rack.aware.assignment.tags": "a,b,c,d,e,f"}
        | {f"client.tag.{one}": "x" for one in "abcdef"}
        | {"num.standby.replicas": "1"},
        streams_of(tags=tuple(tuple((one, f"{one}{number}") for one in "abcdef") for number in range(3))),
    ),
    "a tag's value of 31 letters": Harm(("client.tag.zone",), "KIP-708: 30 at most", TAGGED | {"client.tag.zone": "z" * 31}),
    "a tag's name of 21 letters": Harm(
        ("client.tag." + "z" * 21, "rack.aware.assignment.tags"),
        "KIP-708: 20 at most",
        {"rack.aware.assignment.tags": "z" * 21, "client.tag." + "z" * 21: "a", "num.standby.replicas": "1"},
    ),
    "a strategy, and clients without a rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"), "KIP-925", MIN_TRAFFIC, streams_of(replica_racks=("a", "b", "c"))
    ),
    "a strategy, and one client without a rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"),
        "KIP-925",
        MIN_TRAFFIC,
        streams_of(racks=("a", "b"), replica_racks=("a", "b", "c")),
    ),
    "a strategy, and brokers without a rack": Harm(
        ("rack.aware.assignment.strategy", "broker.rack"), "KIP-925", MIN_TRAFFIC, streams_of(racks=("a", "b", "c"))
    ),
    "a strategy in one rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"),
        "KIP-925",
        MIN_TRAFFIC,
        streams_of(racks=("a", "a", "a"), replica_racks=("a", "b", "c")),
    ),
    "racks by other names": Harm(
        ("client.rack",), "KIP-925", MIN_TRAFFIC, streams_of(racks=("eu-1a", "eu-1b", "eu-1c"), replica_racks=("a", "b", "c"))
    ),
    "a strategy that there is not": one(
        "rack.aware.assignment.strategy", "min-traffic", "KIP-925: valid values", streams_of(**RACKED)
    ),
    "a strategy of a later release": one(
        "rack.aware.assignment.strategy", "balance_subtopology", "KIP-925: from 3.7 on", streams_of(release="3.6.2", **RACKED)
    ),
    "a strategy in a release without": one(
        "rack.aware.assignment.strategy", "min_traffic", "KIP-925: from 3.6 on", streams_of(release="3.5.2", **RACKED)
    ),
    "costs without a strategy": one("rack.aware.assignment.traffic_cost", "50", "KIP-925", streams_of(**RACKED)),
    "tags of a release without": Harm(
        ("rack.aware.assignment.tags", "client.tag.zone"), "KIP-708: from 3.2 on", TAGGED, streams_of(release="3.1.2")
    ),
    "a consumer's rack that no broker has": Harm(
        ("client.rack",), "KIP-392", {"client.rack": "x"}, consumers_of(racks=("x", "x", "x"), replica_racks=("a", "b", "c"))
    ),
}
SESSIONS: dict[str, Harm] = {
    "a heartbeat as long as the session": Harm(
        ("heartbeat.interval.ms",), "class Heartbeat", {"session.timeout.ms": "10000", "heartbeat.interval.ms": "10000"}
    ),
    "a heartbeat longer than the default session": one("heartbeat.interval.ms", "60000", "class Heartbeat"),
    "a heartbeat longer than the session of before": one(
        "heartbeat.interval.ms", "10000", "class Heartbeat", streams_of(release="2.8.2")
    ),
    "a heartbeat of half a session": Harm(
        ("heartbeat.interval.ms",),
        "Consumer Configs: heartbeat.interval.ms",
        {"session.timeout.ms": "20000", "heartbeat.interval.ms": "10000"},
    ),
    "a heartbeat a bit over a third": one("consumer.heartbeat.interval.ms", "15001", "Consumer Configs: heartbeat.interval.ms"),
    "a session below what brokers take": Harm(
        ("session.timeout.ms",),
        "Broker Configs: group.min.session.timeout.ms",
        {"session.timeout.ms": "5999", "heartbeat.interval.ms": "1500"},
    ),
    "a session above what brokers take": one(
        "main.consumer.session.timeout.ms", "1800001", "Broker Configs: group.max.session.timeout.ms"
    ),
    "a session of an hour": one("session.timeout.ms", "3600000", "Broker Configs: group.max.session.timeout.ms"),
    "a session of 15 minutes": one("session.timeout.ms", "900000", "Consumer Configs: session.timeout.ms", price=Measure.STOPPED_S),
    "a session of half an hour, of consumers": one(
        "session.timeout.ms", "1800000", "Consumer Configs: session.timeout.ms", consumers, Measure.STOPPED_S
    ),
    "a session of 6 s": Harm(("session.timeout.ms",), "KIP-735", {"session.timeout.ms": "6000", "heartbeat.interval.ms": "2000"}),
    "leaves when it is closed": one("internal.leave.group.on.close", "true", "class StreamsConfig", price=Measure.REBALANCES),
    "stays when it is closed, a consumer": one("internal.leave.group.on.close", "false", "class ConsumerConfig", consumers),
    "a heartbeat of half a session, of a streams group": Harm(
        ("streams.heartbeat.interval.ms",), "KIP-1071", group=by_broker_of(config={"streams.heartbeat.interval.ms": 22_500})
    ),
    "a session of 10 minutes, of a streams group": Harm(
        ("streams.session.timeout.ms",),
        "KIP-1071",
        group=by_broker_of(config={"streams.session.timeout.ms": 600_000}),
        price=Measure.STOPPED_S,
    ),
    "a static session below a restart": Harm(
        ("session.timeout.ms",),
        "KIP-345",
        {"session.timeout.ms": "6500", "heartbeat.interval.ms": "2000"},
        streams_of(static=(True,) * 3),
        Measure.REBALANCES,
    ),
    "static members, half of them": Harm(("group.instance.id",), "KIP-345", {}, streams_of(static=(True, True))),
    "static members among consumers, one of them": Harm(("group.instance.id",), "KIP-345", {}, consumers_of(static=(True,))),
    "one instance ID for all": one("group.instance.id", "orders", "KIP-345"),
    "one instance ID for all consumers": one("consumer.group.instance.id", "orders", "KIP-345"),
    "static, and its process ID is new each time": Harm(
        ("group.instance.id", "default.dsl.store"),
        "KAFKA-10716",
        {},
        streams_of(static=(True,) * 3, stores=Stores.IN_MEMORY, log=20 * M),
        Measure.MOVED,
    ),
    "static in a release that draws process IDs": Harm(
        ("Kafka Streams",), "KAFKA-10716", {}, streams_of(static=(True,) * 3, release="2.7.0"), Measure.MOVED
    ),
    "threads taken from static members": Harm(
        ("num.stream.threads",),
        "KIP-345",
        {"num.stream.threads": "2", "session.timeout.ms": "600000"},
        streams_of(static=(True,) * 3, threads=4),
    ),
    "an instance ID that the brokers refuse": Harm(
        ("group.instance.id",),
        "KAFKA-20169",
        {"group.instance.id": "a", "group.protocol": "streams"},
        by_broker_of(release="4.2.1"),
    ),
}
POLLS: dict[str, Harm] = {
    "a poll interval of a second": one("max.poll.interval.ms", "1000", "KIP-62"),
    "a poll interval of 30 s": one("consumer.max.poll.interval.ms", "30000", "KIP-62", streams_of(log=3 * M)),
    "a poll interval below the restore": one("max.poll.interval.ms", "240000", "KAFKA-6399", streams_of(log=4 * M)),
    "a poll interval below the restore, of a streams group": one(
        "main.consumer.max.poll.interval.ms",
        "120000",
        "KAFKA-6399",
        by_broker_of(log=4 * M, config={"streams.num.standby.replicas": 1}),
    ),
    "a poll interval that overflows": one("max.poll.interval.ms", "2147483647", "KAFKA-13126", streams_of(release="2.8.2")),
    "a poll interval without an end": one("max.poll.interval.ms", "2147483647", "KIP-62"),
    "a poll interval of a day, of consumers": one("max.poll.interval.ms", "86400000", "KIP-62", consumers),
    "a poll interval of 5 s, of consumers": one("max.poll.interval.ms", "5000", "KIP-62", consumers),
    "blocks longer than the poll interval": one("poll.ms", "600000", "Streams Configs: poll.ms"),
    "requests given up after a second": one("request.timeout.ms", "1000", "KIP-572"),
    "requests given up while a fetch waits": Harm(
        ("fetch.max.wait.ms", "request.timeout.ms"),
        "Consumer Configs: request.timeout.ms",
        {"consumer.request.timeout.ms": "10000", "consumer.fetch.max.wait.ms": "10000"},
    ),
    "calls shorter than requests": Harm(
        ("default.api.timeout.ms",), "class KafkaAdminClient", {"admin.default.api.timeout.ms": "5000"}
    ),
    "metadata of a day ago": one("metadata.max.age.ms", "86400000", "Consumer Configs: metadata.max.age.ms"),
    "metadata of an hour ago, of consumers": one(
        "metadata.max.age.ms", "3600000", "Consumer Configs: metadata.max.age.ms", consumers
    ),
    "metadata each 100 ms": one("metadata.max.age.ms", "100", "Consumer Configs: metadata.max.age.ms"),
    "the first time-out is the last": one("task.timeout.ms", "0", "KIP-572"),
    "time-outs of a second": one("task.timeout.ms", "1000", "KIP-572"),
    "waits an hour for quiet partitions": one("max.task.idle.ms", "3600000", "KIP-695"),
    "connects again after half an hour": one("reconnect.backoff.max.ms", "1800000", "Consumer Configs: reconnect.backoff.max.ms"),
    "asks again after a minute": one("retry.backoff.ms", "60000", "Consumer Configs: retry.backoff.ms"),
    "closes connections after a second": one("connections.max.idle.ms", "1000", "Consumer Configs: connections.max.idle.ms"),
    "calls given up after half a second": one("main.consumer.default.api.timeout.ms", "500", "KIP-266"),
    "fails without an offset": one("auto.offset.reset", "none", "Consumer Configs: auto.offset.reset"),
}
HARMS: dict[str, Harm] = WARM_UPS | STANDBYS | RACKS | SESSIONS | POLLS | TO_DATA | TO_CLIENTS | BY_KEY
