package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerCoordinator;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.LoggerFactory;

/** One rebalance: members write their subscriptions as members of this release do, and the leader reads and assigns. */
final class PlainLeader {
    private final JsonNode question;
    private final String assignor;
    private final Map<String, byte[]> joined = new LinkedHashMap<>();
    private final Map<String, String> instances = new HashMap<>();
    private final Cluster cluster;

    PlainLeader(final JsonNode question) throws Exception {
        this.question = question;
        assignor = question.get("assignor").asText();
        for (final JsonNode member : question.get("members")) {
            joined.put(member.get("id").asText(), subscription(member));
            if (member.hasNonNull("instance")) {
                instances.put(member.get("id").asText(), member.get("instance").asText());
            }
        }
        cluster = cluster(question.get("topics"));
    }

    /** Members that live on from question to question, each with its assignors; the question says who begins anew. */
    PlainLeader(final JsonNode question, final Map<String, PlainMember> living) throws Exception {
        this.question = question;
        assignor = question.get("assignor").asText();
        for (final JsonNode member : question.get("members")) {
            final String id = member.get("id").asText();
            if (member.path("begins").asBoolean() || !living.containsKey(id)) {
                living.put(id, new PlainMember(member));
            }
            joined.put(id, living.get(id).subscription(assignor));
            if (member.hasNonNull("instance")) {
                instances.put(id, member.get("instance").asText());
            }
        }
        living.keySet().retainAll(joined.keySet());
        cluster = cluster(question.get("topics"));
    }

    void round(final ObjectNode answer, final Map<String, PlainMember> living) throws Exception {
        assign(answer);
        final Map<String, Assignment> handed = assign(newAssignor(assignor));
        for (final Map.Entry<String, Assignment> each : handed.entrySet()) {
            Assignment received = each.getValue();
            if (question.path("wire").asBoolean()) {
                received = ConsumerProtocol.deserializeAssignment(ConsumerProtocol.serializeAssignment(received));
            }
            living.get(each.getKey()).onAssignment(assignor, received, question.get("generation").asInt());
        }
    }

    void subscriptions(final ObjectNode answer) {
        joined.forEach((member, bytes) -> answer.put(member, Base64.getEncoder().encodeToString(bytes)));
    }

    void assign(final ObjectNode answer) throws Exception {
        final Map<String, Assignment> handed = assign(newAssignor(assignor));
        final Map<String, Assignment> planned = assignor.equals("cooperative-sticky") ? assign(new Planner()) : handed;
        if (question.path("checked").asBoolean()) {
            check(handed);
        }
        for (final String member : joined.keySet()) {
            final ObjectNode part = answer.putObject(member);
            final ArrayNode partitions = part.putArray("partitions");
            handed.get(member).partitions().forEach(one -> PlainGroups.put(partitions, one.topic(), one.partition()));
            final List<TopicPartition> withheld = new ArrayList<>(planned.get(member).partitions());
            handed.get(member).partitions().forEach(withheld::remove);
            withheld.sort((a, b) -> a.topic().equals(b.topic())
                ? Integer.compare(a.partition(), b.partition()) : a.topic().compareTo(b.topic()));
            final ArrayNode held = part.putArray("withheld");
            withheld.forEach(one -> PlainGroups.put(held, one.topic(), one.partition()));
        }
    }

    void time(final ObjectNode answer) throws Exception {
        final int warm = question.path("warm").asInt(1);
        final int runs = question.path("runs").asInt(3);
        final ArrayNode times = answer.putArray("nanoseconds");
        for (int run = -warm; run < runs; run++) {
            final ConsumerPartitionAssignor fresh = newAssignor(assignor);
            final GroupSubscription subscriptions = read();
            final long start = System.nanoTime();
            fresh.assign(cluster, subscriptions);
            if (run >= 0) {
                times.add(System.nanoTime() - start);
            }
        }
    }

    private Map<String, Assignment> assign(final ConsumerPartitionAssignor by) {
        return by.assign(cluster, read()).groupAssignment();
    }

    private GroupSubscription read() {
        final Map<String, Subscription> subscriptions = new HashMap<>();
        joined.forEach((member, bytes) -> {
            final Subscription subscription = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(bytes));
            subscription.setGroupInstanceId(Optional.ofNullable(instances.get(member)));
            subscriptions.put(member, subscription);
        });
        return new GroupSubscription(subscriptions);
    }

    private byte[] subscription(final JsonNode member) throws Exception {
        final List<String> topics = new ArrayList<>();
        member.get("subscription").forEach(topic -> topics.add(topic.asText()));
        final List<TopicPartition> owned = new ArrayList<>();
        member.get("owned").forEach(one -> owned.add(new TopicPartition(one.get(0).asText(), one.get(1).asInt())));
        final int generation = member.hasNonNull("generation") ? member.get("generation").asInt() : -1;
        boolean cooperative = true;
        for (final JsonNode each : member.get("assignors")) {
            cooperative &= each.asText().equals("cooperative-sticky");
        }
        final ConsumerPartitionAssignor own = newAssignor(assignor);
        if (!owned.isEmpty() || generation >= 0) {
            own.onAssignment(new Assignment(owned), metadata(generation));
        }
        final ByteBuffer userData = own.subscriptionUserData(new TreeSet<>(topics));
        final List<TopicPartition> reported = cooperative ? owned : Collections.emptyList();
        final Optional<String> rack = Optional.ofNullable(member.hasNonNull("rack") ? member.get("rack").asText() : null);
        final ByteBuffer written = ConsumerProtocol.serializeSubscription(newSubscription(topics, userData, reported, generation, rack));
        final byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    static Subscription newSubscription(final List<String> topics, final ByteBuffer userData,
                                                final List<TopicPartition> owned, final int generation,
                                                final Optional<String> rack) throws Exception {
        for (final Constructor<?> constructor : Subscription.class.getConstructors()) {
            if (constructor.getParameterCount() == 5) {
                return (Subscription) constructor.newInstance(topics, userData, owned, generation, rack);
            }
        }
        return new Subscription(topics, userData, owned);
    }

    static ConsumerGroupMetadata metadata(final int generation) {
        return new ConsumerGroupMetadata("group", generation, "member", Optional.empty());
    }

    static ConsumerPartitionAssignor newAssignor(final String name) {
        switch (name) {
            case "range":
                return new RangeAssignor();
            case "roundrobin":
                return new RoundRobinAssignor();
            case "sticky":
                return new StickyAssignor();
            case "cooperative-sticky":
                return new CooperativeStickyAssignor();
            default:
                throw new IllegalArgumentException("unknown assignor " + name);
        }
    }

    private static Cluster cluster(final JsonNode topics) {
        final Map<String, Node> brokers = new HashMap<>();
        final List<PartitionInfo> partitions = new ArrayList<>();
        topics.fields().forEachRemaining(topic -> {
            int number = 0;
            for (final JsonNode racks : topic.getValue()) {
                final Node[] replicas = new Node[racks.size()];
                for (int place = 0; place < replicas.length; place++) {
                    final String rack = racks.get(place).isNull() ? null : racks.get(place).asText();
                    replicas[place] = brokers.computeIfAbsent(rack + "/" + place,
                        key -> new Node(brokers.size(), "broker", 9092, rack));
                }
                final Node leader = replicas.length == 0 ? Node.noNode() : replicas[0];
                partitions.add(new PartitionInfo(topic.getKey(), number++, leader, replicas, replicas));
            }
        });
        return new Cluster("cluster", new HashSet<>(brokers.values()), partitions, Collections.emptySet(), Collections.emptySet());
    }

    /** The check of the leader's own client, where its release makes it. */
    private void check(final Map<String, Assignment> handed) throws Exception {
        final Map<String, List<TopicPartition>> owned = new HashMap<>();
        read().groupSubscription().forEach((member, subscription) -> owned.put(member, subscription.ownedPartitions()));
        final Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        final Object coordinator = unsafe.getType().getMethod("allocateInstance", Class.class)
            .invoke(unsafe.get(null), ConsumerCoordinator.class);
        final Field log = ConsumerCoordinator.class.getDeclaredField("log");
        log.setAccessible(true);
        log.set(coordinator, LoggerFactory.getLogger("coordinator"));
        final Method check = ConsumerCoordinator.class.getDeclaredMethod("validateCooperativeAssignment", Map.class, Map.class);
        check.setAccessible(true);
        check.invoke(coordinator, owned, handed);
    }

    /** Cooperative-sticky before it takes out what another member still owns. */
    private static final class Planner extends AbstractStickyAssignor {
        private final CooperativeStickyAssignor reader = new CooperativeStickyAssignor();

        @Override
        public String name() {
            return "planner";
        }

        @Override
        protected MemberData memberData(final Subscription subscription) {
            try {
                final Method method = CooperativeStickyAssignor.class.getDeclaredMethod("memberData", Subscription.class);
                method.setAccessible(true);
                return (MemberData) method.invoke(reader, subscription);
            } catch (final ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
    }
}
