package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;

/** What a script needs of a coordinator: the context of Kafka's own tests, as published with 4.2.1 and 4.3.1. */
final class Context {
    private final GroupMetadataManagerTestContext context;
    final List<CoordinatorRecord> written = new ArrayList<>();

    Context(final Map<String, Object> config, final Topics topics) {
        final GroupMetadataManagerTestContext.Builder builder = new GroupMetadataManagerTestContext.Builder()
            .withMetadataImage(topics)
            .withStreamsGroupTaskAssignors(List.of(new StickyTaskAssignor()));
        config.forEach(builder::withConfig);
        context = builder.build();
    }

    StreamsGroupHeartbeatResponseData heartbeat(final StreamsGroupHeartbeatRequestData request) {
        final var result = context.streamsGroupHeartbeat(request);
        written.addAll(result.records());
        return result.response().data();
    }

    /** The clock goes on; what its timers do is written. */
    void sleep(final long ms) {
        context.sleep(ms).forEach(expired -> written.addAll(expired.result().records()));
    }

    /** What the coordinator had done elsewhere is written, and all of it is committed. */
    void settle() {
        context.processTasks().forEach(done -> written.addAll(done.result().records()));
        context.commit();
    }

    DescribedGroup describe(final String group) {
        return context.sendStreamsGroupDescribe(List.of(group)).get(0);
    }

    void configure(final String group, final Properties config) {
        context.groupConfigManager.updateGroupConfig(group, config);
    }

    void replay(final CoordinatorRecord record) {
        written.add(record);
        context.replay(record);
        context.commit();
    }

    void change(final Topics before, final Topics topics) {
        Loose.changed(context.groupMetadataManager, topics.since(before), topics);
    }
}
