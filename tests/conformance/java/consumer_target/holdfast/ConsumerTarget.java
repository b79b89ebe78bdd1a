package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue.TopicPartition;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.SubscriptionCount;
import org.apache.kafka.coordinator.group.modern.TopicIds;
import org.apache.kafka.coordinator.group.modern.UnionSet;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.server.immutable.ImmutableMap;

/**
 * The assignors for consumer groups, of any release from 4.0.0 on. Subscriptions, previous targets and the new ones go through the classes that the
 * coordinator keeps them in, so that all of them are iterated as there.
 */
public final class ConsumerTarget extends TargetAssignor {
    private final Map<Uuid, String> names = new HashMap<>();
    private final Map<String, Uuid> ids = new HashMap<>();
    private final Map<Uuid, Integer> partitions = new HashMap<>();
    private final Map<String, Assignment> before = new HashMap<>();
    private final Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
    private Map<String, MemberSubscriptionAndAssignmentImpl> members;
    private final Map<String, Integer> regexes = new HashMap<>();
    private final Map<String, Set<String>> resolved = new HashMap<>();
    private final Map<String, SubscriptionCount> counts = new HashMap<>();
    private final Map<String, Integer> named = new HashMap<>();
    private List<String> order;
    private ConsumerGroupPartitionAssignor assignor;
    private SubscriptionType type;
    private GroupAssignment target;
    private boolean onlySubscriptions;
    private TopicIds.TopicResolver resolver;

    @Override
    public void read(final JsonNode question) {
        List.of(names, ids, partitions, before, owners, regexes, resolved, counts, named).forEach(Map::clear);
        onlySubscriptions = question.get("ask").asText().equals("subscriptions");
        members = new HashMap<>(); // one that is cleared has as many buckets as before
        order = new ArrayList<>();
        assignor = question.get("assignor").asText().equals("range") ? new RangeAssignor() : new UniformAssignor();
        ImmutableMap<String, Boolean> image = ImmutableMap.empty();
        for (final JsonNode each : question.get("topics")) {
            final Uuid id = Uuid.fromString(each.get(1).asText());
            names.put(id, each.get(0).asText());
            ids.put(each.get(0).asText(), id);
            partitions.put(id, each.get(2).asInt());
            image = image.updated(each.get(0).asText(), true);
        }
        final Map<String, Uuid> gone = new HashMap<>();
        question.path("gone").fields().forEachRemaining(each -> gone.put(each.getKey(), Uuid.fromString(each.getValue().asText())));
        resolver = (TopicIds.TopicResolver) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {TopicIds.TopicResolver.class},
            (self, method, given) -> method.getName().equals("name") ? names.get(given[0]) : method.getName().equals("id") ? ids.get(given[0]) : null);
        for (final JsonNode each : question.get("members")) {
            readMember(each, gone, image);
        }
        resolved.values().forEach(topics -> topics.forEach(topic -> counts.compute(topic, (name, count) ->
            count == null ? new SubscriptionCount(0, 1) : counted(name, count))));
        type = ConsumerGroup.subscriptionType(regexes, counts, members.size());
    }

    /** One more regular expression that matches it; its accessors have other names up to 4.1. */
    private SubscriptionCount counted(final String topic, final SubscriptionCount count) {
        return new SubscriptionCount(named.getOrDefault(topic, 0), (int) resolved.values().stream().filter(each -> each.contains(topic)).count());
    }

    private void readMember(final JsonNode member, final Map<String, Uuid> gone, final ImmutableMap<String, Boolean> image) {
        final String id = member.get("id").asText();
        order.add(id);
        final List<String> listed = new ArrayList<>();
        member.get("topics").forEach(topic -> listed.add(topic.asText()));
        Set<String> subscribed = new HashSet<>(listed);
        subscribed.forEach(topic -> {
            named.merge(topic, 1, Integer::sum);
            counts.put(topic, new SubscriptionCount(named.get(topic), 0));
        });
        final String regex = member.path("regex").asText("");
        if (!regex.isEmpty()) {
            regexes.merge(regex, 1, Integer::sum);
            final Set<String> matched = resolved.computeIfAbsent(regex, one -> matching(one, image));
            if (subscribed.isEmpty()) {
                subscribed = matched;
            } else if (!matched.isEmpty()) {
                subscribed = new UnionSet<>(subscribed, matched);
            }
        }
        final List<TopicPartition> record = new ArrayList<>();
        for (final JsonNode topic : member.get("target")) {
            final List<Integer> numbers = new ArrayList<>();
            topic.get(1).forEach(number -> numbers.add(number.asInt()));
            final String name = topic.get(0).asText();
            record.add(new TopicPartition().setTopicId(ids.getOrDefault(name, gone.get(name))).setPartitions(numbers));
        }
        final Assignment had = Assignment.fromRecord(new ConsumerGroupTargetAssignmentMemberValue().setTopicPartitions(record));
        before.put(id, had);
        had.partitions().forEach((topic, numbers) -> numbers.forEach(number -> owners.computeIfAbsent(topic, none -> new HashMap<>()).put(number, id)));
        members.put(id, new MemberSubscriptionAndAssignmentImpl(Optional.ofNullable(member.path("rack").asText(null)),
            Optional.ofNullable(member.path("instance").asText(null)), new TopicIds(subscribed, resolver), had));
    }

    /** As the coordinator resolves it, and reads it again from its record. */
    private static Set<String> matching(final String regex, final ImmutableMap<String, Boolean> image) {
        final Pattern pattern = Pattern.compile(regex);
        final Set<String> found = new HashSet<>();
        for (final String topic : image.keySet()) {
            if (pattern.matcher(topic).matches()) {
                found.add(topic);
            }
        }
        return new HashSet<>(found.stream().sorted().toList());
    }

    @Override
    public void assign() {
        target = onlySubscriptions ? null : decided();
    }

    private GroupAssignment decided() {
        return assignor.assign(new GroupSpecImpl(members, type, owners), new Topics());
    }

    @Override
    public void write(final ObjectNode answer) {
        for (final String id : onlySubscriptions ? order : List.<String>of()) {
            final ArrayNode topics = answer.putArray(id);
            members.get(id).subscribedTopicIds().forEach(topic -> topics.add(names.get(topic)));
        }
        for (final String id : onlySubscriptions ? List.<String>of() : order) {
            final var given = target.members().get(id);
            final Assignment now = given == null ? Assignment.EMPTY : new Assignment(given.partitions());
            final Assignment kept = now.equals(before.get(id)) ? before.get(id) : recorded(now);
            final ArrayNode topics = answer.putArray(id);
            kept.partitions().forEach((topic, numbers) -> {
                final ArrayNode shown = topics.addArray().add(names.get(topic)).addArray();
                numbers.forEach(shown::add);
            });
        }
    }

    /** As the coordinator has it once it has read the record that it wrote. */
    private static Assignment recorded(final Assignment target) {
        final List<TopicPartition> record = new ArrayList<>();
        target.partitions().forEach((topic, numbers) -> record.add(new TopicPartition().setTopicId(topic).setPartitions(new ArrayList<>(numbers))));
        return Assignment.fromRecord(new ConsumerGroupTargetAssignmentMemberValue().setTopicPartitions(record));
    }

    private final class Topics implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(final Uuid topic) {
            return partitions.getOrDefault(topic, -1);
        }

        @Override
        public Set<String> racksForPartition(final Uuid topic, final int partition) {
            return Set.of("rack-" + partition % 3, "rack-" + (partition + 1) % 3);
        }
    }
}
