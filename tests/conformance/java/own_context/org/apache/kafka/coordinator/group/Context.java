package org.apache.kafka.coordinator.group;

import com.yammer.metrics.core.MetricsRegistry;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * What a script needs of a coordinator, for releases whose tests are not published: a shard of the coordinator as its broker builds it, from
 * the release's own jar. Its log is a list, its clock and timers are {@link Clock}, and what it does in the background is done when asked.
 *
 * <p>Classes that releases have in other packages, or with other parameters, are found by reflection.
 */
final class Context {
    private static final GroupCoordinatorMetrics METRICS = new GroupCoordinatorMetrics(new MetricsRegistry(), new Metrics());

    final List<CoordinatorRecord> written = new ArrayList<>();
    private final Clock clock = new Clock();
    private final Background background = new Background();
    private final SnapshotRegistry registry;
    private final GroupConfigManager configs;
    private final GroupCoordinatorShard shard;
    final ClassicRequests classic;
    private long end;
    private long committed;

    @SuppressWarnings({"unchecked", "rawtypes"})
    Context(final Map<String, Object> config, final Topics topics) throws Exception {
        registry = (SnapshotRegistry) withLogContext(SnapshotRegistry.class);
        final ConfigDef known = new ConfigDef(GroupCoordinatorConfig.CONFIG_DEF);
        ShareGroupConfig.CONFIG_DEF.configKeys().values().forEach(known::define);
        final AbstractConfig parsed = new AbstractConfig(known, config, false);
        final GroupCoordinatorConfig coordinator = new GroupCoordinatorConfig(parsed);
        configs = managerOf(coordinator, new ShareGroupConfig(parsed));
        registry.idempotentCreateSnapshot(end);
        final GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(coordinator, configs);
        builder.withSnapshotRegistry(registry).withTime(clock).withTimer(clock)
            .withExecutor(background).withCoordinatorMetrics(METRICS).withTopicPartition(new TopicPartition("__consumer_offsets", 0));
        builder.withAuthorizerPlugin(Optional.empty());
        shard = builder.build();
        classic = new ClassicRequests(shard, this::write, request -> sentBy("client", request));
        change(topics, topics);
        commit();
    }

    StreamsGroupHeartbeatResponseData heartbeat(final StreamsGroupHeartbeatRequestData request) {
        final var result = shard.streamsGroupHeartbeat(sentBy("client", ApiKeys.STREAMS_GROUP_HEARTBEAT), request);
        write(result);
        return result.response().data();
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

    @SuppressWarnings("unchecked")
    DescribedGroup describe(final String group) {
        final Object found = Loose.call(shard, "streamsGroupDescribe", List.of(group), committed);
        final Object groups = found instanceof List ? found : Loose.call(found, "describedGroups");
        return ((List<DescribedGroup>) groups).get(0);
    }

    void configure(final String group, final Properties config) {
        configs.updateGroupConfig(group, config);
    }

    void replay(final CoordinatorRecord record) {
        replayed(record);
        commit();
    }

    void change(final Topics before, final Topics topics) {
        Loose.changed(shard, topics.since(before), topics);
    }

    private void write(final CoordinatorResult<?, CoordinatorRecord> result) {
        for (final CoordinatorRecord record : result.records()) {
            if (result.replayRecords()) {
                replayed(record);
            } else { // what it says is so already
                written.add(record);
                goOn();
            }
        }
        if (result.appendFuture() != null) {
            result.appendFuture().complete(null);
        }
    }

    private void replayed(final CoordinatorRecord record) {
        written.add(record);
        shard.replay(end, -1L, (short) -1, record);
        goOn();
    }

    private void goOn() {
        end += 1;
        registry.idempotentCreateSnapshot(end);
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

    /** Up to 4.2 it takes the defaults, in 4.3 them and the brokers' configs, from 4.4 on only those. */
    private static GroupConfigManager managerOf(final GroupCoordinatorConfig config, final ShareGroupConfig share) throws Exception {
        final Constructor<?> made = GroupConfigManager.class.getConstructors()[0];
        final Object[] all = {null, config, share};
        if (made.getParameterCount() != 2) {
            all[0] = Loose.call(config, "extractGroupConfigMap", share);
        }
        return (GroupConfigManager) made.newInstance(
            Arrays.copyOfRange(all, made.getParameterCount() == 2 ? 1 : 0, made.getParameterCount() == 1 ? 1 : 3));
    }

    private static Object withLogContext(final Class<?> type) throws Exception {
        for (final Constructor<?> each : type.getConstructors()) {
            if (each.getParameterCount() == 1) {
                return each.newInstance(each.getParameterTypes()[0].getConstructor().newInstance());
            }
        }
        throw new IllegalStateException(type + " has no constructor of one parameter");
    }
}
