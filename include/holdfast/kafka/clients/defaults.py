"""What each client of a Streams application has where nothing is set, by release. Generated from the jars, not by hand:

    python -m tests.conformance.clients.record_defaults

A line of `TABLE` is: key, whose default it is (S Streams, M main consumer, R restore consumer, G global consumer, P producer, E
Streams and its producer with exactly-once, A admin, C a consumer without Streams), first and last minor release, the default.
"""

# ruff: noqa: E501

TABLE = """\
acceptable.recovery.lag S 2.6 4.3 10000
acks EP 2.6 2.8 1
acks EP 3.0 4.3 all
allow.auto.create.topics GR 2.6 4.1 true
allow.auto.create.topics M 2.6 4.3 false
allow.auto.create.topics C 2.6 4.3 true
allow.auto.create.topics GR 4.2 4.3 false
auto.offset.reset M 2.6 4.3 earliest
auto.offset.reset C 2.6 4.3 latest
auto.offset.reset GR 2.6 4.3 none
batch.size EP 2.6 4.3 16384
buffer.memory EP 2.6 4.3 33554432
buffered.records.per.partition S 2.6 4.3 1000
cache.max.bytes.buffering S 2.6 4.3 10485760
commit.interval.ms E 2.6 4.3 100
commit.interval.ms S 2.6 4.3 30000
connections.max.idle.ms A 2.6 4.3 300000
connections.max.idle.ms CEGMPRS 2.6 4.3 540000
default.api.timeout.ms ACGMR 2.6 4.3 60000
default.dsl.store S 3.2 4.3 rocksDB
delivery.timeout.ms P 2.6 4.3 120000
delivery.timeout.ms E 2.6 4.3 2147483647
enable.auto.commit GMR 2.6 4.3 false
enable.auto.commit C 2.6 4.3 true
enable.idempotence P 2.6 2.8 false
enable.idempotence E 2.6 4.3 true
enable.idempotence P 3.0 4.3 true
fetch.max.bytes CGMR 2.6 4.3 52428800
fetch.max.wait.ms CGMR 2.6 4.3 500
fetch.min.bytes CGMR 2.6 4.3 1
group.protocol CGMR 3.7 4.3 classic
group.protocol S 4.1 4.3 classic
heartbeat.interval.ms CGMR 2.6 4.3 3000
internal.leave.group.on.close GMR 2.6 4.1 false
internal.leave.group.on.close C 2.6 4.1 true
isolation.level CGMR 2.6 4.3 read_uncommitted
linger.ms EP 2.6 4.3 100
max.block.ms EP 2.6 4.3 60000
max.in.flight.requests.per.connection EP 2.6 4.3 5
max.partition.fetch.bytes CGMR 2.6 4.3 1048576
max.poll.interval.ms CGMR 2.6 4.3 300000
max.poll.records GMR 2.6 4.3 1000
max.poll.records C 2.6 4.3 500
max.request.size EP 2.6 4.3 1048576
max.task.idle.ms S 2.6 4.3 0
max.warmup.replicas S 2.6 4.3 2
metadata.max.age.ms ACEGMPRS 2.6 4.3 300000
num.standby.replicas S 2.6 4.3 0
num.stream.threads S 2.6 4.3 1
partition.assignment.strategy CGR 2.6 2.8 class org.apache.kafka.clients.consumer.RangeAssignor
partition.assignment.strategy M 2.6 4.3 org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor
partition.assignment.strategy CGR 3.0 4.3 class org.apache.kafka.clients.consumer.RangeAssignor,class org.apache.kafka.clients.consumer.CooperativeStickyAssignor
poll.ms S 2.6 4.3 100
probing.rebalance.interval.ms S 2.6 4.3 600000
processing.guarantee S 2.6 4.3 at_least_once
rack.aware.assignment.strategy S 3.6 4.3 none
receive.buffer.bytes EPS 2.6 4.3 32768
receive.buffer.bytes ACGMR 2.6 4.3 65536
reconnect.backoff.max.ms ACEGMPRS 2.6 4.3 1000
reconnect.backoff.ms ACEGMPRS 2.6 4.3 50
repartition.purge.interval.ms S 3.2 4.3 30000
replication.factor S 2.6 2.8 1
replication.factor S 3.0 4.3 -1
request.timeout.ms ACEGMPR 2.6 4.3 30000
request.timeout.ms S 2.6 4.3 40000
retries S 2.6 3.9 0
retries AEP 2.6 4.3 2147483647
retry.backoff.max.ms ACEGMPR 3.7 4.3 1000
retry.backoff.ms ACEGMPRS 2.6 4.3 100
send.buffer.bytes ACEGMPRS 2.6 4.3 131072
session.timeout.ms CGMR 2.6 2.8 10000
session.timeout.ms CGMR 3.0 4.3 45000
state.cleanup.delay.ms S 2.6 4.3 600000
statestore.cache.max.bytes S 3.4 4.3 10485760
task.timeout.ms S 2.7 4.3 300000
transaction.timeout.ms P 2.6 2.7 10000
transaction.timeout.ms E 2.6 4.3 10000
transaction.timeout.ms P 2.8 4.3 60000
upgrade.from S 2.6 4.3 null
"""
