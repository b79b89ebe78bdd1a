package org.apache.kafka.coordinator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.TaskIds;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.MetadataImageBuilder;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;

/**
 * The group coordinator of a release, with a clock that only we move. Reads a script a line as JSON: a topology, and what members do one
 * after the other; answers with how StreamsGroupDescribe shows the group after each step, and with the bytes of all of it where asked for.
 */
public final class WholeCoordinator {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUP = "shop";

    private final JsonNode script;
    private final GroupMetadataManagerTestContext context;
    private final Topology topology = new Topology();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, StreamsGroupHeartbeatResponseData> owned = new HashMap<>();
    private final ArrayNode records = JSON.createArrayNode();

    private WholeCoordinator(final JsonNode script) throws Exception {
        this.script = script;
        final MetadataImageBuilder image = new MetadataImageBuilder();
        topology.setEpoch(0);
        for (final JsonNode each : script.get("subtopologies")) {
            final String id = each.get(0).asText();
            image.addTopic(Uuid.randomUuid(), "input-" + id, each.get(1).asInt());
            final Subtopology subtopology = new Subtopology().setSubtopologyId(id).setSourceTopics(List.of("input-" + id));
            if (each.get(2).asBoolean()) {
                image.addTopic(Uuid.randomUuid(), "store-" + id + "-changelog", each.get(1).asInt());
                subtopology.setStateChangelogTopics(List.of(new TopicInfo().setName("store-" + id + "-changelog")));
            }
            topology.subtopologies().add(subtopology);
        }
        final GroupMetadataManagerTestContext.Builder builder = new GroupMetadataManagerTestContext.Builder()
            .withMetadataImage(image.buildCoordinatorMetadataImage())
            .withStreamsGroupTaskAssignors(List.of(new StickyTaskAssignor()));
        script.path("config").fields().forEachRemaining(each ->
            builder.withConfig(each.getKey(), each.getValue().isBoolean() ? (Object) each.getValue().asBoolean() : each.getValue().asText()));
        context = builder.build();
    }

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(new WholeCoordinator(JSON.readTree(line)).play()));
        }
    }

    private ObjectNode play() {
        final ObjectNode answer = JSON.createObjectNode();
        final ArrayNode steps = answer.putArray("steps");
        for (final JsonNode step : script.get("steps")) {
            final ObjectNode shown = steps.addObject();
            try {
                take(step);
            } catch (final RuntimeException thrown) {
                shown.put("error", thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
            }
            context.processTasks().forEach(done -> keep(done.result().records()));
            context.commit();
            final DescribedGroup group = context.sendStreamsGroupDescribe(List.of(GROUP)).get(0);
            show(group, shown);
            if (script.path("bytes").asBoolean()) {
                shown.put("described", encoded(group));
            }
        }
        if (script.path("bytes").asBoolean()) {
            answer.set("records", records);
        }
        return answer;
    }

    private void take(final JsonNode step) {
        final String id = step.path("id").asText();
        switch (step.get("do").asText()) {
            case "join":
                beat(id, request(id).setMemberEpoch(0).setProcessId(step.get("process").asText()).setTopology(topology)
                    .setRebalanceTimeoutMs(300000).setActiveTasks(List.of()).setStandbyTasks(List.of()).setWarmupTasks(List.of()));
                break;
            case "heartbeat":
                beat(id);
                break;
            case "heartbeat, and what follows":
                while (beat(id)) { }
                break;
            case "leave":
                keep(context.streamsGroupHeartbeat(request(id).setMemberEpoch(-1)).records());
                break;
            case "sleep":
                sleep(step.get("ms").asLong(), step.path("by").asLong(step.get("ms").asLong()));
                break;
            case "config":
                final Properties config = new Properties();
                step.get("config").fields().forEachRemaining(each -> config.put(each.getKey(), each.getValue().asText()));
                context.groupConfigManager.updateGroupConfig(GROUP, config);
                break;
            default:
                throw new IllegalArgumentException("unknown step " + step);
        }
    }

    /** Sessions that end in one step are seen by the context before any of them has an effect; in steps of 1 ms, one after the other. */
    private void sleep(final long ms, final long by) {
        for (long slept = 0; slept < ms; slept += by) {
            context.sleep(Math.min(by, ms - slept)).forEach(expired -> keep(expired.result().records()));
        }
    }

    private static StreamsGroupHeartbeatRequestData request(final String id) {
        return new StreamsGroupHeartbeatRequestData().setGroupId(GROUP).setMemberId(id);
    }

    private boolean beat(final String id) {
        final StreamsGroupHeartbeatResponseData has = owned.get(id);
        return beat(id, request(id).setMemberEpoch(epochs.get(id)).setActiveTasks(tasks(has.activeTasks()))
            .setStandbyTasks(tasks(has.standbyTasks())).setWarmupTasks(List.of()));
    }

    /** A member does at once what it is told: it owns what the answer lists. Returns whether that is news, which it acknowledges at once. */
    private boolean beat(final String id, final StreamsGroupHeartbeatRequestData request) {
        final var result = context.streamsGroupHeartbeat(request);
        keep(result.records());
        final StreamsGroupHeartbeatResponseData response = result.response().data();
        epochs.put(id, response.memberEpoch());
        final StreamsGroupHeartbeatResponseData before = owned.get(id);
        final boolean told = response.activeTasks() != null;
        if (!told) {
            response.setActiveTasks(before == null ? List.of() : before.activeTasks());
            response.setStandbyTasks(before == null ? List.of() : before.standbyTasks());
        }
        owned.put(id, response);
        return told;
    }

    private static List<StreamsGroupHeartbeatRequestData.TaskIds> tasks(final List<StreamsGroupHeartbeatResponseData.TaskIds> tasks) {
        return tasks.stream().map(each -> new StreamsGroupHeartbeatRequestData.TaskIds().setSubtopologyId(each.subtopologyId())
            .setPartitions(each.partitions())).collect(Collectors.toList());
    }

    private void keep(final List<CoordinatorRecord> written) {
        final GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
        for (final CoordinatorRecord record : written) {
            final ObjectNode kept = records.addObject();
            kept.put("key", Base64.getEncoder().encodeToString(serde.serializeKey(record)));
            final byte[] value = serde.serializeValue(record);
            kept.put("value", value == null ? null : Base64.getEncoder().encodeToString(value));
            kept.put("says", record.key() + " " + record.value());
        }
    }

    private static String encoded(final DescribedGroup group) {
        final StreamsGroupDescribeResponseData response = new StreamsGroupDescribeResponseData().setGroups(List.of(group));
        final var bytes = MessageUtil.toByteBufferAccessor(response, (short) 0).buffer();
        final byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return Base64.getEncoder().encodeToString(copy);
    }

    private static void show(final DescribedGroup group, final ObjectNode shown) {
        shown.put("state", group.groupState()).put("epoch", group.groupEpoch()).put("assignment epoch", group.assignmentEpoch());
        final ObjectNode members = shown.putObject("members");
        group.members().forEach(each -> {
            final ObjectNode member = members.putObject(each.memberId());
            member.put("process", each.processId()).put("epoch", each.memberEpoch());
            put(member.putObject("target"), each.targetAssignment());
            put(member.putObject("assignment"), each.assignment());
        });
    }

    private static void put(final ObjectNode shown, final StreamsGroupDescribeResponseData.Assignment tasks) {
        put(shown.putObject("active"), tasks.activeTasks());
        put(shown.putObject("standby"), tasks.standbyTasks());
        put(shown.putObject("warmup"), tasks.warmupTasks());
    }

    private static void put(final ObjectNode shown, final List<TaskIds> tasks) {
        tasks.forEach(each -> new TreeSet<>(each.partitions()).forEach(((ArrayNode) (shown.has(each.subtopologyId())
            ? shown.get(each.subtopologyId()) : shown.putArray(each.subtopologyId())))::add));
    }
}
