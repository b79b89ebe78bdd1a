package org.apache.kafka.coordinator.group;

import com.yammer.metrics.core.MetricsRegistry;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * What a script about a consumer group needs of a coordinator of 4.0 and 4.1: a shard of the coordinator as its broker builds it. It is told of
 * topics by the images of metadata that a broker has. Its log is a list, its clock and timers are {@link Clock}, and what it does in the
 * background is done when asked.
 */
final class Context {
    private static final GroupCoordinatorMetrics METRICS = new GroupCoordinatorMetrics(new MetricsRegistry(), new Metrics());

    final List<CoordinatorRecord> written = new ArrayList<>();
    private final Clock clock = new Clock();
    private final Background background = new Background();
    private final SnapshotRegistry registry = new SnapshotRegistry(new LogContext());
    private final GroupConfigManager configs;
    private final GroupCoordinatorShard shard;
    private MetadataImage image = MetadataImage.EMPTY;
    final ClassicRequests classic;
    private long end;
    private long committed;

    @SuppressWarnings({"unchecked", "rawtypes"})
    Context(final Map<String, Object> config, final Topics topics) throws Exception {
        final AbstractConfig parsed = new AbstractConfig(known(), config, false);
        final GroupCoordinatorConfig coordinator = new GroupCoordinatorConfig(parsed);
        configs = new GroupConfigManager(coordinator.extractGroupConfigMap(new ShareGroupConfig(parsed)));
        registry.idempotentCreateSnapshot(end);
        final GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(coordinator, configs);
        builder.withLogContext(new LogContext()).withSnapshotRegistry(registry).withTime(clock).withTimer(clock)
            .withExecutor(background).withCoordinatorMetrics(METRICS).withTopicPartition(new TopicPartition("__consumer_offsets", 0));
        for (final Method each : builder.getClass().getMethods()) {
            if (each.getName().startsWith("withAuthorizer")) { // of 4.0, or `withAuthorizerPlugin` of 4.1
                each.invoke(builder, Optional.empty());
            }
        }
        shard = builder.build();
        classic = new ClassicRequests(shard, this::write, request -> sentBy("client", request));
        change(Topics.none(), topics);
        commit();
    }

    /** All that a coordinator reads; 4.0 has several definitions. */
    private static ConfigDef known() throws IllegalAccessException {
        final ConfigDef found = new ConfigDef(ShareGroupConfig.CONFIG_DEF);
        for (final Field each : GroupCoordinatorConfig.class.getFields()) {
            if (each.getType() == ConfigDef.class) {
                ((ConfigDef) each.get(null)).configKeys().forEach((name, key) -> {
                    if (!found.names().contains(name)) {
                        found.define(key);
                    }
                });
            }
        }
        return found;
    }

    ConsumerGroupHeartbeatResponseData heartbeat(final ConsumerGroupHeartbeatRequestData request) {
        final var result = shard.consumerGroupHeartbeat(sentBy("client", ApiKeys.CONSUMER_GROUP_HEARTBEAT), request);
        write(result);
        return result.response();
    }

    ConsumerGroupDescribeResponseData.DescribedGroup describeConsumers(final String group) {
        return shard.consumerGroupDescribe(List.of(group), committed).get(0);
    }

    DescribeGroupsResponseData.DescribedGroup describeClassic(final String group) {
        return classic.describe(group, committed);
    }

    /** The clock goes on; what its timers do is written once all of those that are over have run. */
    void sleep(final long ms) {
        clock.sleep(ms);
        clock.over().forEach(this::write);
    }

    /** What the coordinator does elsewhere is done, and all is committed. */
    void settle() {
        background.done().forEach(this::write);
        commit();
    }

    void configure(final String group, final Properties config) {
        configs.updateGroupConfig(group, config);
    }

    void change(final Topics before, final Topics topics) {
        final MetadataDelta delta = topics.since(before, image);
        image = Topics.applied(delta);
        shard.onNewMetadataImage(image, delta);
    }

    private void write(final CoordinatorResult<?, CoordinatorRecord> result) {
        for (final CoordinatorRecord record : result.records()) {
            written.add(record);
            if (result.replayRecords()) {
                shard.replay(end, -1L, (short) -1, record);
            } // else what it says is so already
            end += 1;
            registry.idempotentCreateSnapshot(end);
        }
        if (result.appendFuture() != null) {
            result.appendFuture().complete(null);
        }
    }

    private void commit() {
        committed = end;
        registry.deleteSnapshotsUpTo(committed);
    }

    private static RequestContext sentBy(final String client, final ApiKeys request) {
        final RequestHeader header = new RequestHeader(request, request.latestVersion(), client, 0);
        return new RequestContext(header, "1", InetAddress.getLoopbackAddress(), KafkaPrincipal.ANONYMOUS,
            ListenerName.forSecurityProtocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false);
    }
}
