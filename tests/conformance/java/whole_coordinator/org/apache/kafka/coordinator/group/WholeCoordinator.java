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
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.TaskIds;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * The group coordinator of a release, with a clock that only we move. Reads a script a line as JSON: a topology, and what members do one
 * after the other; answers with how StreamsGroupDescribe shows the group after each step, and with the bytes of all of it where asked for.
 */
public final class WholeCoordinator {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUP = "shop";

    private final JsonNode script;
    private final Context context;
    private Topics topics = Topics.none();
    private final Topology topology = new Topology();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, String> instances = new HashMap<>();
    private final Map<String, StreamsGroupHeartbeatResponseData> owned = new HashMap<>();
    private final Disks disks;

    private WholeCoordinator(final JsonNode script) throws Exception {
        this.script = script;
        topology.setEpoch(0);
        disks = new Disks(script);
        for (final JsonNode each : script.get("subtopologies")) {
            final String id = each.get(0).asText();
            topics = topics.with("input-" + id, each.get(1).asInt());
            final Subtopology subtopology = new Subtopology().setSubtopologyId(id).setSourceTopics(List.of("input-" + id));
            if (each.get(2).asBoolean()) {
                topics = topics.with("store-" + id + "-changelog", each.get(1).asInt());
                subtopology.setStateChangelogTopics(List.of(new TopicInfo().setName("store-" + id + "-changelog")));
            }
            topology.subtopologies().add(subtopology);
        }
        final Map<String, Object> config = new HashMap<>();
        script.path("config").fields().forEachRemaining(each ->
            config.put(each.getKey(), each.getValue().isBoolean() ? (Object) each.getValue().asBoolean() : each.getValue().asText()));
        context = new Context(config, topics);
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
            context.settle();
            final DescribedGroup group = context.describe(GROUP);
            show(group, shown, steps.size() - 1 == script.path("offsets after").asInt(-1));
            if (steps.size() - 1 == script.path("offsets after").asInt(-1)) {
                disks.show(shown);
            }
            if (script.path("bytes").asBoolean()) {
                shown.put("described", encoded(group)).put("records", context.written.size());
            }
        }
        if (script.path("bytes").asBoolean()) {
            answer.set("records", Records.encoded(context.written));
        }
        return answer;
    }

    private void take(final JsonNode step) {
        final String id = step.path("id").asText();
        switch (step.get("do").asText()) {
            case "join":
                instances.put(id, step.path("instance").asText(null));
                disks.start(id, step);
                beat(id, request(id).setMemberEpoch(0).setProcessId(step.get("process").asText()).setTopology(step.has("another topology") ? another() : topology)
                    .setRebalanceTimeoutMs(300000).setActiveTasks(List.of()).setStandbyTasks(List.of()).setWarmupTasks(List.of()));
                break;
            case "heartbeat":
                beat(id);
                break;
            case "heartbeat, and what follows":
                while (beat(id)) { }
                break;
            case "stop":
                context.heartbeat(request(id).setMemberEpoch(-2));
                break;
            case "leave":
                context.heartbeat(request(id).setMemberEpoch(-1));
                break;
            case "sleep":
                sleep(step.get("ms").asLong(), step.path("by").asLong(step.get("ms").asLong()));
                break;
            case "grow":
                final Topics before = topics;
                topics = topics.with(step.get("topic").asText(), step.get("partitions").asInt());
                context.change(before, topics);
                break;
            case "disk":
                disks.place(step.get("process").asText(), step.path("from").asText(null));
                break;
            case "classic":
                context.replay(Classic.group(GROUP, step.get("members")));
                break;
            case "config":
                final Properties config = new Properties();
                step.get("config").fields().forEachRemaining(each -> config.put(each.getKey(), each.getValue().asText()));
                context.configure(GROUP, config);
                break;
            default:
                throw new IllegalArgumentException("unknown step " + step);
        }
    }

    /** Sessions that end in one step are seen by the context before any of them has an effect; in steps of 1 ms, one after the other. */
    private void sleep(final long ms, final long by) {
        for (long slept = 0; slept < ms; slept += by) {
            context.sleep(Math.min(by, ms - slept));
        }
    }

    /** With one subtopology more. */
    private Topology another() {
        final Topology other = topology.duplicate();
        other.subtopologies().add(new Subtopology().setSubtopologyId("another").setSourceTopics(List.of("another")));
        return other;
    }

    private StreamsGroupHeartbeatRequestData request(final String id) {
        return new StreamsGroupHeartbeatRequestData().setGroupId(GROUP).setMemberId(id).setInstanceId(instances.get(id));
    }

    private boolean beat(final String id) {
        final StreamsGroupHeartbeatResponseData has = owned.get(id);
        return beat(id, request(id).setMemberEpoch(epochs.get(id)).setActiveTasks(tasks(has.activeTasks()))
            .setStandbyTasks(tasks(has.standbyTasks())).setWarmupTasks(List.of()));
    }

    /** A member does at once what it is told: it owns what the answer lists. Returns whether that is news, which it acknowledges at once. */
    private boolean beat(final String id, final StreamsGroupHeartbeatRequestData request) {
        final StreamsGroupHeartbeatResponseData before = owned.get(id);
        final StreamsGroupHeartbeatResponseData response =
            context.heartbeat(request.setTaskOffsets(disks.reported(id, before == null ? List.of() : before.activeTasks())));
        epochs.put(id, response.memberEpoch());
        final boolean told = response.activeTasks() != null;
        if (!told) {
            response.setActiveTasks(before == null ? List.of() : before.activeTasks());
            response.setStandbyTasks(before == null ? List.of() : before.standbyTasks());
        }
        owned.put(id, response);
        disks.keep(id, response.activeTasks());
        disks.keep(id, response.standbyTasks());
        return told;
    }

    private static List<StreamsGroupHeartbeatRequestData.TaskIds> tasks(final List<StreamsGroupHeartbeatResponseData.TaskIds> tasks) {
        return tasks.stream().map(each -> new StreamsGroupHeartbeatRequestData.TaskIds().setSubtopologyId(each.subtopologyId())
            .setPartitions(each.partitions())).collect(Collectors.toList());
    }

    private static String encoded(final DescribedGroup group) {
        final StreamsGroupDescribeResponseData response = new StreamsGroupDescribeResponseData().setGroups(List.of(group));
        final var bytes = MessageUtil.toByteBufferAccessor(response, (short) 0).buffer();
        final byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return Base64.getEncoder().encodeToString(copy);
    }

    private static void show(final DescribedGroup group, final ObjectNode shown, final boolean withOffsets) {
        shown.put("state", group.groupState()).put("epoch", group.groupEpoch()).put("assignment epoch", group.assignmentEpoch());
        final ObjectNode members = shown.putObject("members");
        group.members().forEach(each -> {
            final ObjectNode member = members.putObject(each.memberId());
            member.put("instance", each.instanceId()).put("process", each.processId()).put("epoch", each.memberEpoch());
            put(member.putObject("target"), each.targetAssignment());
            put(member.putObject("assignment"), each.assignment());
            if (withOffsets) {
                final ObjectNode offsets = member.putObject("offsets");
                each.taskOffsets().forEach(one -> offsets.put(one.subtopologyId() + "_" + one.partition(), one.offset()));
            }
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
