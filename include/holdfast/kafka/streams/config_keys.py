"""Every configuration key of Kafka Streams and its clients, by release. Generated from the jars, not written by hand:

    python -m tests.conformance.streams.record_config_keys

A line of `TABLE` is: key, who has it (S Streams, C consumer, P producer, A admin, T topic, I internal to Streams), first and last
minor release, type, and what is valid: [least,...,most], [options], ~[options in any case], non-empty, non-null, items<=5.
"""

# ruff: noqa: E501, SIM905

MINORS = tuple("2.6 2.7 2.8 3.0 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 4.0 4.1 4.2 4.3".split())
"""The minor releases that the table covers, oldest first."""

TABLE = """\
__assignment.error.code__ I 2.6 2.7 any
__assignment.listener__ I 2.6 4.3 any
__emit.interval.ms.kstreams.outer.join.spurious.results.fix__ I 3.0 4.3 any
__emit.interval.ms.kstreams.windowed.aggregation__ I 3.3 4.3 any
__internal.consumer.wrapper__ I 4.1 4.3 any
__internal.override.topic.prefix__ I 3.2 4.3 any
__iq.consistency.offset.vector.enabled__ I 3.2 4.3 any
__next.probing.rebalance.ms__ I 2.6 2.7 any
__processing.threads.enabled__ I 3.7 4.3 any
__reference.container.instance__ I 2.8 4.3 any
__state.updater.enabled__ I 3.4 4.2 any
__streams.admin.client.instance__ I 2.6 2.7 any
__streams.metadata.state.instance__ I 2.6 2.7 any
__task.manager.instance__ I 2.6 2.7 any
__time__ I 2.6 2.7 any
acceptable.recovery.lag S 2.6 4.3 long [0,...]
acks P 2.6 4.3 string [-1, 0, 1, all]
allow.auto.create.topics C 2.6 4.3 boolean
allow.os.group.write.access S 4.2 4.3 boolean
application.id S 2.6 4.3 string
application.server S 2.6 4.3 string
auto.commit.interval.ms C 2.6 4.3 int [0,...]
auto.include.jmx.reporter ACPS 3.4 3.9 boolean
auto.offset.reset C 2.6 3.9 string [earliest, latest, none]
auto.offset.reset C 4.0 4.3 string [by_duration:PnDTnHnMn.nS, earliest, latest, none]
batch.size P 2.6 4.3 int [0,...]
bootstrap.controllers A 3.7 4.3 list
bootstrap.servers CP 2.6 4.1 list non-null
bootstrap.servers AS 2.6 4.3 list
bootstrap.servers CP 4.2 4.3 list
buffer.memory P 2.6 4.3 long [0,...]
buffered.records.per.partition S 2.6 4.3 int
built.in.metrics.version S 2.6 2.8 string [0.10.0-2.4, latest]
built.in.metrics.version S 3.0 4.3 string [latest]
cache.max.bytes.buffering S 2.6 4.3 long [0,...]
check.crcs C 2.6 4.3 boolean
cleanup.policy T 2.6 4.3 any
client.dns.lookup ACP 2.6 2.8 string [default, resolve_canonical_bootstrap_servers_only, use_all_dns_ips]
client.dns.lookup ACP 3.0 4.3 string [resolve_canonical_bootstrap_servers_only, use_all_dns_ips]
client.id ACPS 2.6 4.3 string
client.rack C 2.6 4.3 string
commit.interval.ms S 2.6 4.3 long [0,...]
compression.gzip.level T 3.8 4.3 any
compression.gzip.level P 3.8 4.3 int [1,...,9] or -1
compression.lz4.level T 3.8 4.3 any
compression.lz4.level P 3.8 4.3 int [1,...,17]
compression.type P 2.6 3.2 string
compression.type T 2.6 4.3 any
compression.type P 3.3 4.3 string [gzip, lz4, none, snappy, zstd]
compression.zstd.level T 3.8 4.3 any
compression.zstd.level P 3.8 4.3 int [-131072,...,22]
config.providers ACPS 4.2 4.3 list
connections.max.idle.ms ACPS 2.6 4.3 long
default.api.timeout.ms AC 2.6 4.3 int [0,...]
default.client.supplier S 3.5 4.3 class
default.deserialization.exception.handler S 2.6 4.3 class
default.dsl.store S 3.2 4.3 string [in_memory, rocksDB]
default.key.serde S 2.6 4.3 class
default.list.key.serde.inner S 3.0 4.3 class
default.list.key.serde.type S 3.0 4.3 class
default.list.value.serde.inner S 3.0 4.3 class
default.list.value.serde.type S 3.0 4.3 class
default.production.exception.handler S 2.6 4.3 class
default.timestamp.extractor S 2.6 4.3 class
default.value.serde S 2.6 4.3 class
default.windowed.key.serde.inner S 2.6 2.8 class
default.windowed.value.serde.inner S 2.6 2.8 class
delete.retention.ms T 2.6 4.3 any
delivery.timeout.ms P 2.6 4.3 int [0,...]
deserialization.exception.handler S 4.0 4.3 class
dsl.store.format S 4.3 4.3 string ~[DEFAULT, HEADERS]
dsl.store.suppliers.class S 3.7 4.3 class
enable.auto.commit C 2.6 4.3 boolean
enable.idempotence P 2.6 4.3 boolean
enable.metrics.push ACPS 3.7 4.3 boolean
ensure.explicit.internal.resource.naming S 4.1 4.3 boolean
errors.dead.letter.queue.topic.name S 4.2 4.3 string
exclude.internal.topics C 2.6 4.3 boolean
fetch.max.bytes C 2.6 4.3 int [0,...]
fetch.max.wait.ms C 2.6 4.3 int [0,...]
fetch.min.bytes C 2.6 4.3 int [0,...]
file.delete.delay.ms T 2.6 4.3 any
flush.messages T 2.6 4.3 any
flush.ms T 2.6 4.3 any
group.id C 2.6 4.3 string
group.instance.id C 2.6 3.2 string
group.instance.id C 3.3 4.3 string non-empty
group.protocol C 3.7 4.3 string ~[CLASSIC, CONSUMER]
group.protocol S 4.1 4.3 string ~[CLASSIC, STREAMS]
group.remote.assignor C 3.7 4.3 string
heartbeat.interval.ms C 2.6 4.3 int
index.interval.bytes T 2.6 4.3 any
interceptor.classes CP 2.6 4.1 list non-null
interceptor.classes CP 4.2 4.3 list
internal.auto.downgrade.txn.commit P 2.6 2.8 boolean
internal.leave.group.on.close C 2.6 4.1 boolean
internal.task.assignor.class I 2.6 4.3 any
internal.throw.on.fetch.stable.offset.unsupported C 2.6 4.3 boolean
isolation.level C 2.6 4.3 string [read_committed, read_uncommitted]
key.deserializer C 2.6 4.3 class
key.serializer P 2.6 4.3 class
linger.ms P 2.6 4.3 long [0,...]
local.retention.bytes T 3.0 4.3 any
local.retention.ms T 3.0 4.3 any
log.summary.interval.ms S 3.9 4.3 long
max.block.ms P 2.6 4.3 long [0,...]
max.compaction.lag.ms T 2.6 4.3 any
max.in.flight.requests.per.connection P 2.6 4.3 int [1,...]
max.message.bytes T 2.6 4.3 any
max.partition.fetch.bytes C 2.6 4.3 int [0,...]
max.poll.interval.ms C 2.6 4.3 int [1,...]
max.poll.records C 2.6 4.3 int [1,...]
max.request.size P 2.6 4.3 int [0,...]
max.task.idle.ms S 2.6 4.3 long
max.warmup.replicas S 2.6 4.3 int [1,...]
message.downconversion.enable T 2.6 4.3 any
message.format.version T 2.6 3.9 any
message.timestamp.after.max.ms T 3.6 4.3 any
message.timestamp.before.max.ms T 3.6 4.3 any
message.timestamp.difference.max.ms T 2.6 3.9 any
message.timestamp.type T 2.6 4.3 any
metadata.max.age.ms ACPS 2.6 4.3 long [0,...]
metadata.max.idle.ms P 2.6 4.3 long [5000,...]
metadata.recovery.rebootstrap.trigger.ms ACPS 4.0 4.3 long [0,...]
metadata.recovery.strategy ACP 3.8 4.3 string ~[NONE, REBOOTSTRAP]
metadata.recovery.strategy S 4.0 4.3 string ~[NONE, REBOOTSTRAP]
metric.reporters CP 2.6 4.1 list non-null
metric.reporters AS 2.6 4.3 list
metric.reporters CP 4.2 4.3 list
metrics.num.samples ACPS 2.6 4.3 int [1,...]
metrics.recording.level ACPS 2.6 2.6 string [DEBUG, INFO]
metrics.recording.level ACPS 2.7 4.3 string [DEBUG, INFO, TRACE]
metrics.sample.window.ms ACPS 2.6 4.3 long [0,...]
min.cleanable.dirty.ratio T 2.6 4.3 any
min.compaction.lag.ms T 2.6 4.3 any
min.insync.replicas T 2.6 4.3 any
num.standby.replicas S 2.6 4.3 int
num.stream.threads S 2.6 4.3 int
partition.assignment.strategy C 2.6 4.1 list non-null
partition.assignment.strategy C 4.2 4.3 list
partition.grouper S 2.6 2.8 class
partitioner.adaptive.partitioning.enable P 3.3 4.3 boolean
partitioner.availability.timeout.ms P 3.3 4.3 long [0,...]
partitioner.class P 2.6 4.3 class
partitioner.ignore.keys P 3.3 4.3 boolean
poll.ms S 2.6 4.3 long
preallocate T 2.6 4.3 any
probing.rebalance.interval.ms S 2.6 4.3 long [60000,...]
processing.exception.handler S 3.9 4.3 class
processing.exception.handler.global.enabled S 4.3 4.3 boolean
processing.guarantee S 2.6 2.8 string [at_least_once, exactly_once, exactly_once_beta]
processing.guarantee S 3.0 3.9 string [at_least_once, exactly_once, exactly_once_beta, exactly_once_v2]
processing.guarantee S 4.0 4.3 string [at_least_once, exactly_once_v2]
processor.wrapper.class S 4.0 4.3 class
production.exception.handler S 4.0 4.3 class
rack.aware.assignment.non_overlap_cost S 3.6 4.3 int
rack.aware.assignment.strategy S 3.6 3.6 string [min_traffic, none]
rack.aware.assignment.strategy S 3.7 4.3 string [balance_subtopology, min_traffic, none]
rack.aware.assignment.tags S 3.2 4.3 list items<=5
rack.aware.assignment.traffic_cost S 3.6 4.3 int
receive.buffer.bytes ACPS 2.6 4.3 int [-1,...]
reconnect.backoff.max.ms ACPS 2.6 4.3 long [0,...]
reconnect.backoff.ms ACPS 2.6 4.3 long [0,...]
remote.log.copy.disable T 3.9 4.3 any
remote.log.delete.on.disable T 3.9 4.3 any
remote.storage.enable T 3.0 4.3 any
repartition.purge.interval.ms S 3.2 4.3 long [0,...]
replication.factor S 2.6 4.3 int
request.timeout.ms ACPS 2.6 4.3 int [0,...]
retention.bytes T 2.6 4.3 any
retention.ms T 2.6 4.3 any
retries S 2.6 3.9 int [0,...,2147483647]
retries AP 2.6 4.3 int [0,...,2147483647]
retry.backoff.max.ms ACP 3.7 4.3 long [0,...]
retry.backoff.ms ACPS 2.6 4.3 long [0,...]
rocksdb.config.setter S 2.6 4.3 class
sasl.client.callback.handler.class ACP 2.6 4.3 class
sasl.jaas.config ACP 2.6 4.3 password
sasl.kerberos.kinit.cmd ACP 2.6 4.3 string
sasl.kerberos.min.time.before.relogin ACP 2.6 4.3 long
sasl.kerberos.service.name ACP 2.6 4.3 string
sasl.kerberos.ticket.renew.jitter ACP 2.6 4.3 double
sasl.kerberos.ticket.renew.window.factor ACP 2.6 4.3 double
sasl.login.callback.handler.class ACP 2.6 4.3 class
sasl.login.class ACP 2.6 4.3 class
sasl.login.connect.timeout.ms ACP 3.1 4.3 int
sasl.login.read.timeout.ms ACP 3.1 4.3 int
sasl.login.refresh.buffer.seconds ACP 2.6 4.3 short [0,...,3600]
sasl.login.refresh.min.period.seconds ACP 2.6 4.3 short [0,...,900]
sasl.login.refresh.window.factor ACP 2.6 4.3 double [0.5,...,1.0]
sasl.login.refresh.window.jitter ACP 2.6 4.3 double [0.0,...,0.25]
sasl.login.retry.backoff.max.ms ACP 3.1 4.3 long
sasl.login.retry.backoff.ms ACP 3.1 4.3 long
sasl.mechanism ACP 2.6 4.3 string
sasl.oauthbearer.assertion.algorithm ACP 4.1 4.3 string ~[ES256, RS256]
sasl.oauthbearer.assertion.claim.aud ACP 4.1 4.3 string
sasl.oauthbearer.assertion.claim.exp.seconds ACP 4.1 4.3 int [0,...,86400]
sasl.oauthbearer.assertion.claim.iss ACP 4.1 4.3 string
sasl.oauthbearer.assertion.claim.jti.include ACP 4.1 4.3 boolean
sasl.oauthbearer.assertion.claim.nbf.seconds ACP 4.1 4.3 int [0,...,3600]
sasl.oauthbearer.assertion.claim.sub ACP 4.1 4.3 string
sasl.oauthbearer.assertion.file ACP 4.1 4.3 string
sasl.oauthbearer.assertion.private.key.file ACP 4.1 4.3 string
sasl.oauthbearer.assertion.private.key.passphrase ACP 4.1 4.3 password
sasl.oauthbearer.assertion.template.file ACP 4.1 4.3 string
sasl.oauthbearer.client.credentials.client.id ACP 4.1 4.3 string
sasl.oauthbearer.client.credentials.client.secret ACP 4.1 4.3 password
sasl.oauthbearer.clock.skew.seconds ACP 3.1 4.3 int
sasl.oauthbearer.expected.audience ACP 3.1 4.3 list
sasl.oauthbearer.expected.issuer ACP 3.1 4.3 string
sasl.oauthbearer.header.urlencode ACP 3.9 4.3 boolean
sasl.oauthbearer.jwks.endpoint.refresh.ms ACP 3.1 4.3 long
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms ACP 3.1 4.3 long
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms ACP 3.1 4.3 long
sasl.oauthbearer.jwks.endpoint.url ACP 3.1 4.3 string
sasl.oauthbearer.jwt.retriever.class ACP 4.1 4.3 class
sasl.oauthbearer.jwt.validator.class ACP 4.1 4.3 class
sasl.oauthbearer.scope ACP 4.1 4.3 string
sasl.oauthbearer.scope.claim.name ACP 3.1 4.3 string
sasl.oauthbearer.sub.claim.name ACP 3.1 4.3 string
sasl.oauthbearer.token.endpoint.url ACP 3.1 4.3 string
security.protocol ACPS 2.6 3.2 string
security.protocol ACPS 3.3 3.4 string [PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL]
security.protocol ACPS 3.5 4.3 string ~[PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL]
security.providers ACP 2.6 4.3 string
segment.bytes T 2.6 4.3 any
segment.index.bytes T 2.6 4.3 any
segment.jitter.ms T 2.6 4.3 any
segment.ms T 2.6 4.3 any
send.buffer.bytes ACPS 2.6 4.3 int [-1,...]
session.timeout.ms C 2.6 4.3 int
share.acknowledgement.mode C 4.1 4.3 string [explicit, implicit]
share.acquire.mode C 4.2 4.3 string [batch_optimized, record_limit]
socket.connection.setup.timeout.max.ms ACP 2.7 4.3 long
socket.connection.setup.timeout.ms ACP 2.7 4.3 long
ssl.cipher.suites ACP 2.6 4.3 list
ssl.enabled.protocols ACP 2.6 4.3 list
ssl.endpoint.identification.algorithm ACP 2.6 4.3 string
ssl.engine.factory.class ACP 2.6 4.3 class
ssl.key.password ACP 2.6 4.3 password
ssl.keymanager.algorithm ACP 2.6 4.3 string
ssl.keystore.certificate.chain ACP 2.7 4.3 password
ssl.keystore.key ACP 2.7 4.3 password
ssl.keystore.location ACP 2.6 4.3 string
ssl.keystore.password ACP 2.6 4.3 password
ssl.keystore.type ACP 2.6 4.3 string
ssl.protocol ACP 2.6 4.3 string
ssl.provider ACP 2.6 4.3 string
ssl.secure.random.implementation ACP 2.6 4.3 string
ssl.trustmanager.algorithm ACP 2.6 4.3 string
ssl.truststore.certificates ACP 2.7 4.3 password
ssl.truststore.location ACP 2.6 4.3 string
ssl.truststore.password ACP 2.6 4.3 password
ssl.truststore.type ACP 2.6 4.3 string
state.cleanup.delay.ms S 2.6 4.3 long
state.cleanup.dir.max.age.ms S 4.3 4.3 long
state.dir S 2.6 4.3 string
statestore.cache.max.bytes S 3.4 4.3 long [0,...]
task.assignor.class S 3.8 4.3 string
task.timeout.ms S 2.7 4.3 long [0,...]
topology.optimization S 2.6 4.3 string
transaction.timeout.ms P 2.6 4.3 int
transaction.two.phase.commit.enable P 4.1 4.3 boolean
transactional.id P 2.6 4.3 string non-empty
unclean.leader.election.enable T 2.6 4.3 any
upgrade.from S 2.6 3.2 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, null]
upgrade.from S 3.3 3.3 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, null]
upgrade.from S 3.4 3.4 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, null]
upgrade.from S 3.5 3.5 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, null]
upgrade.from S 3.6 3.6 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, null]
upgrade.from S 3.7 3.7 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, null]
upgrade.from S 3.8 3.8 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, null]
upgrade.from S 3.9 3.9 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, null]
upgrade.from S 4.0 4.0 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, null]
upgrade.from S 4.1 4.1 string [0.10.0, 0.10.1, 0.10.2, 0.11.0, 1.0, 1.1, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.0, null]
upgrade.from S 4.2 4.2 string [2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.0, 4.1, null]
upgrade.from S 4.3 4.3 string [2.4, 2.5, 2.6, 2.7, 2.8, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.0, 4.1, 4.2, null]
value.deserializer C 2.6 4.3 class
value.serializer P 2.6 4.3 class
window.size.ms S 2.8 4.3 long
windowed.inner.class.serde S 3.0 4.3 string
windowstore.changelog.additional.retention.ms S 2.6 4.3 long
"""
