package org.apache.kafka.coordinator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * The group coordinator of a release, with a clock that only we move, and a consumer group. Reads a script a line as JSON: topics, and what members
 * do one after the other; answers with how ConsumerGroupDescribe shows the group after each step, and what its regular expressions match.
 */
public final class WholeConsumerGroups {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUP = "shop";

    private final JsonNode script;
    private final Context context;
    private Topics topics = Topics.none();
    private final Map<String, ConsumerGroupHeartbeatRequestData> members = new HashMap<>();
    private final Map<String, ClassicMember> classic = new TreeMap<>();

    private WholeConsumerGroups(final JsonNode script) throws Exception {
        this.script = script;
        for (final JsonNode each : script.get("topics")) {
            topics = topics.with(each.get(0).asText(), each.get(1).asInt());
        }
        final Map<String, Object> config = new HashMap<>();
        script.path("config").fields().forEachRemaining(each -> config.put(each.getKey(), each.getValue().asText()));
        context = new Context(config, topics);
    }

    public static void main(final String[] arguments) throws Exception {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintStream out = new PrintStream(System.out, true, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(new WholeConsumerGroups(JSON.readTree(line)).play()));
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
            show(context.describeConsumers(GROUP), shown);
            if (!classic.isEmpty()) {
                showClassic(context.describeClassic(GROUP), shown.putObject("classic"));
                final ObjectNode named = shown.putObject("ids");
                classic.forEach((name, member) -> named.put(name, member.id()));
                shown.put("generation", classic.values().stream().mapToInt(ClassicMember::generation).max().getAsInt());
            }
            resolved(shown.putObject("resolved"));
        }
        final ObjectNode ids = answer.putObject("ids");
        topics.everyName().forEach(name -> ids.put(name, Topics.idOf(name).toString()));
        final ObjectNode handed = answer.putObject("handed");
        classic.forEach((name, member) -> {
            final ObjectNode shown = handed.putObject(name);
            member.handed().forEach((generation, owned) -> {
                final ArrayNode each = shown.putArray(generation.toString());
                owned.forEach(one -> each.addArray().add(one.topic()).add(one.partition()));
            });
        });
        if (script.path("bytes").asBoolean()) {
            answer.set("records", Records.encoded(context.written));
        }
        return answer;
    }

    private void take(final JsonNode step) {
        final String id = step.path("id").asText();
        switch (step.get("do").asText()) {
            case "join":
                members.put(id, new ConsumerGroupHeartbeatRequestData().setGroupId(GROUP).setMemberId(id).setMemberEpoch(0)
                    .setInstanceId(step.path("instance").asText(null)).setRackId(step.path("rack").asText(null)).setRebalanceTimeoutMs(300000)
                    .setServerAssignor(step.path("assignor").asText(null)).setTopicPartitions(List.of()));
                subscribe(id, step);
                subscribes(id);
                break;
            case "join classic":
                final List<String> names = new ArrayList<>();
                step.get("assignors").forEach(each -> names.add(each.asText()));
                classic.put(id, new ClassicMember(
                    context.classic, GROUP, step.path("member_id").asText(""), step.path("instance").asText(null), topicsOf(step), names,
                    step.path("rack").asText(null), racks()));
                classic.get(id).poll(topics.counts());
                break;
            case "heartbeat classic":
                classic.get(id).beat(topics.counts());
                break;
            case "heartbeat classic, together":
                final List<ClassicMember> together = new ArrayList<>();
                step.get("ids").forEach(each -> together.add(classic.get(each.asText())));
                ClassicMember.beatTogether(together, topics.counts());
                break;
            case "leave classic":
                classic.get(id).leave();
                break;
            case "subscribe":
                subscribe(id, step);
                subscribes(id);
                break;
            case "heartbeat":
                beat(id);
                break;
            case "heartbeat, and what follows":
                while (beat(id)) {
                    // it says at once what it has given up, and may be given more for it
                }
                break;
            case "config":
                final Properties configs = new Properties();
                step.get("config").fields().forEachRemaining(each -> configs.put(each.getKey(), each.getValue().asText()));
                context.configure(GROUP, configs);
                break;
            case "ask":
                members.get(id).setServerAssignor(step.get("assignor").asText());
                beat(id);
                break;
            case "stop":
                context.heartbeat(members.get(id).duplicate().setMemberEpoch(-2));
                break;
            case "leave":
                context.heartbeat(members.get(id).duplicate().setMemberEpoch(-1));
                break;
            case "sleep":
                for (long slept = 0, by = step.path("by").asLong(step.get("ms").asLong()); slept < step.get("ms").asLong(); slept += by) {
                    context.sleep(by);
                }
                break;
            case "grow":
                change(topics.with(step.get("topic").asText(), step.get("partitions").asInt()));
                break;
            case "remove":
                change(topics.without(step.get("topic").asText()));
                break;
            default:
                throw new IllegalArgumentException("unknown step " + step);
        }
    }

    private void change(final Topics after) {
        final Topics before = topics;
        topics = after;
        context.change(before, after);
    }

    private void subscribe(final String id, final JsonNode step) {
        members.get(id).setSubscribedTopicNames(topicsOf(step)).setSubscribedTopicRegex(step.path("regex").asText(""));
    }

    private Map<String, List<String>> racks() {
        final Map<String, List<String>> found = new HashMap<>();
        script.path("racks").fields().forEachRemaining(each -> {
            found.put(each.getKey(), new ArrayList<>());
            each.getValue().forEach(rack -> found.get(each.getKey()).add(rack.asText()));
        });
        return found;
    }

    private static List<String> topicsOf(final JsonNode step) {
        final List<String> names = new ArrayList<>();
        step.get("topics").forEach(each -> names.add(each.asText()));
        return names;
    }

    /** It says what it subscribes to, as it does when it joins or subscribes anew. */
    private void subscribes(final String id) {
        sends(id, members.get(id).duplicate());
    }

    private boolean beat(final String id) {
        return sends(id, members.get(id).duplicate().setSubscribedTopicNames(null).setSubscribedTopicRegex(null));
    }

    /** A member does at once what it is told: it owns what the answer lists. Whether it was told anything new. */
    private boolean sends(final String id, final ConsumerGroupHeartbeatRequestData request) {
        final ConsumerGroupHeartbeatRequestData member = members.get(id);
        final ConsumerGroupHeartbeatResponseData response = context.heartbeat(request);
        final boolean advanced = member.memberEpoch() != response.memberEpoch();
        member.setMemberEpoch(response.memberEpoch());
        boolean changed = false;
        if (response.assignment() != null) {
            final List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned = new ArrayList<>();
            response.assignment().topicPartitions().forEach(each -> owned.add(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                .setTopicId(each.topicId()).setPartitions(each.partitions())));
            changed = !new HashSet<>(owned).equals(new HashSet<>(member.topicPartitions()));
            member.setTopicPartitions(owned);
        }
        return changed || advanced;
    }

    private void resolved(final ObjectNode shown) {
        final Map<String, List<String>> found = new TreeMap<>();
        for (final CoordinatorRecord record : context.written) {
            final Object given = record.key(); // with its version in 4.0
            if ((given instanceof ApiMessageAndVersion both ? both.message() : given) instanceof ConsumerGroupRegularExpressionKey key) {
                found.remove(key.regularExpression());
                if (record.value() != null) {
                    found.put(key.regularExpression(), ((ConsumerGroupRegularExpressionValue) record.value().message()).topics());
                }
            }
        }
        found.forEach((regex, matched) -> matched.stream().sorted().forEach(((ArrayNode) shown.putArray(regex))::add));
    }

    private static void show(final DescribedGroup group, final ObjectNode shown) {
        shown.put("state", group.groupState()).put("epoch", group.groupEpoch()).put("assignment epoch", group.assignmentEpoch())
            .put("assignor", group.assignorName());
        final ObjectNode all = shown.putObject("members");
        group.members().forEach(each -> {
            final ObjectNode member = all.putObject(each.memberId());
            member.put("instance", each.instanceId()).put("epoch", each.memberEpoch()).put("regex", each.subscribedTopicRegex())
                .put("type", each.memberType());
            each.subscribedTopicNames().forEach(member.putArray("topics")::add);
            put(member.putArray("target"), each.targetAssignment());
            put(member.putArray("assignment"), each.assignment());
        });
    }

    /** Of a group of the classic protocol: what each member was handed by its leader, in the order of the member list. */
    private static void showClassic(final DescribeGroupsResponseData.DescribedGroup group, final ObjectNode shown) {
        shown.put("state", group.groupState()).put("protocol", group.protocolData()).put("error", group.errorCode());
        final ObjectNode all = shown.putObject("members");
        group.members().forEach(each -> {
            final ObjectNode member = all.putObject(each.memberId()).put("instance", each.groupInstanceId());
            final ArrayNode owned = member.putArray("assignment");
            if (each.memberAssignment().length > 0) {
                final Map<String, List<Integer>> found = new TreeMap<>();
                ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(each.memberAssignment())).partitions()
                    .forEach(one -> found.computeIfAbsent(one.topic(), topic -> new ArrayList<>()).add(one.partition()));
                found.forEach((topic, numbers) -> numbers.forEach(owned.addArray().add(topic).addArray()::add));
            }
        });
    }

    private static void put(final ArrayNode shown, final ConsumerGroupDescribeResponseData.Assignment owned) {
        owned.topicPartitions().forEach(each -> {
            final ArrayNode numbers = shown.addArray().add(each.topicName()).addArray();
            each.partitions().forEach(numbers::add);
        });
    }
}
