package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.TaskId;

/** One group, given to this release's own StreamsPartitionAssignor.assign with encoded subscriptions, as its consumer would. */
final class Leader {
    private static final String INTERNALS = "org.apache.kafka.streams.processor.internals.";
    private static final String ASSIGNMENT = INTERNALS + "assignment.";

    private final JsonNode group;
    private final Map<String, Object> clientStates = new TreeMap<>();
    private Boolean probing = null;

    Leader(final JsonNode group) {
        this.group = group;
    }

    void assign(final ObjectNode answer) throws Exception {
        final ConsumerPartitionAssignor assignor =
            (ConsumerPartitionAssignor) Inside.type(INTERNALS + "StreamsPartitionAssignor").getConstructor().newInstance();
        ((Configurable) assignor).configure(configuration());
        Inside.set(assignor, "internalTopicManager", Inside.bare(Inside.type("holdfast.ReadyTopics")));
        listen(assignor);
        // The consumer that leads reads the members into a HashMap, in the order of the broker's list.
        final Map<String, Subscription> members = new HashMap<>();
        for (final JsonNode member : group.get("members")) {
            members.put(member.get("id").asText(), subscription(member));
        }
        final Map<String, Assignment> assigned = assignor.assign(cluster(), new GroupSubscription(members)).groupAssignment();
        tell(answer, assigned);
    }

    private Map<String, Object> configuration() throws Exception {
        final Map<String, Object> properties = new HashMap<>();
        properties.put("application.id", "app");
        properties.put("bootstrap.servers", "127.0.0.1:1");
        properties.put("client.id", "leader");
        final Iterator<Map.Entry<String, JsonNode>> given = group.get("config").fields();
        while (given.hasNext()) {
            final Map.Entry<String, JsonNode> entry = given.next();
            properties.put(entry.getKey(), entry.getValue().asText());
        }
        final StreamsConfig config = new StreamsConfig(properties);
        final Object builder = Inside.get(Topologies.build(group.get("subtopologies")), "internalTopologyBuilder");
        final Object taskManager = Inside.bare(Inside.type(INTERNALS + "TaskManager"));
        final Object topology;
        if (Inside.field(taskManager.getClass(), "topologyMetadata") != null) {
            topology = Inside.make(Inside.type(INTERNALS + "TopologyMetadata"), builder, config);
            Inside.call(topology, "buildAndRewriteTopology");
            Inside.set(taskManager, "topologyMetadata", topology);
        } else {
            topology = builder;
            Inside.call(builder, "rewriteTopology", config);
            Inside.call(builder, "buildTopology");
            Inside.set(taskManager, "builder", builder);
        }
        Inside.set(taskManager, "mainConsumer", unused(Consumer.class));
        Inside.set(taskManager, "processId", processId(group.get("leader").asText()));
        final Object metadataState = metadataState(topology);
        if (Inside.exists(ASSIGNMENT + "ReferenceContainer")) {
            final Object container = Inside.type(ASSIGNMENT + "ReferenceContainer").getConstructor().newInstance();
            Inside.set(container, "adminClient", admin());
            Inside.set(container, "mainConsumer", unused(Consumer.class));
            Inside.set(container, "taskManager", taskManager);
            Inside.set(container, "streamsMetadataState", metadataState);
            Inside.set(container, "time", Time.SYSTEM);
            properties.put("__reference.container.instance__", container);
        } else {
            properties.put("__task.manager.instance__", taskManager);
            properties.put("__streams.metadata.state.instance__", metadataState);
            properties.put("__streams.admin.client.instance__", admin());
            properties.put("__assignment.error.code__", new AtomicInteger());
            properties.put("__next.probing.rebalance.ms__", new AtomicLong());
            properties.put("__time__", Time.SYSTEM);
        }
        return properties;
    }

    private static Object metadataState(final Object topology) throws Exception {
        for (final Constructor<?> constructor : Inside.type(INTERNALS + "StreamsMetadataState").getDeclaredConstructors()) {
            final Object[] values = new Object[constructor.getParameterCount()];
            for (int i = 0; i < values.length; i++) {
                final Class<?> parameter = constructor.getParameterTypes()[i];
                if (parameter.isInstance(topology)) {
                    values[i] = topology;
                } else if (parameter.getSimpleName().equals("LogContext")) {
                    values[i] = parameter.getConstructor().newInstance();
                } else {
                    values[i] = new org.apache.kafka.streams.state.HostInfo("unknown", -1);
                }
            }
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        }
        throw new IllegalStateException("StreamsMetadataState cannot be made");
    }

    static Object processId(final String text) throws Exception {
        final UUID uuid = UUID.fromString(text);
        final String publicName = "org.apache.kafka.streams.processor.assignment.ProcessId";
        return Inside.exists(publicName) ? Inside.make(Inside.type(publicName), uuid) : uuid;
    }

    /** Answers listOffsets from the case; an end offset of null is a broker that does not answer. */
    private Admin admin() {
        return (Admin) Proxy.newProxyInstance(Leader.class.getClassLoader(), new Class<?>[] {Admin.class}, (self, method, arguments) -> {
            if (method.getName().equals("listOffsets")) {
                return Offsets.list((Map<?, ?>) arguments[0], group.get("ends"));
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private static <T> T unused(final Class<T> type) {
        return type.cast(Proxy.newProxyInstance(Leader.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            throw new UnsupportedOperationException(method.getName());
        }));
    }

    private Subscription subscription(final JsonNode member) throws Exception {
        final Map<TaskId, Long> sums = new HashMap<>();
        final Iterator<Map.Entry<String, JsonNode>> reported = member.get("sums").fields();
        while (reported.hasNext()) {
            final Map.Entry<String, JsonNode> entry = reported.next();
            final String[] parts = entry.getKey().split("_");
            sums.put(new TaskId(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])), entry.getValue().asLong());
        }
        final List<TopicPartition> owned = new ArrayList<>();
        for (final JsonNode partition : member.get("owned")) {
            owned.add(new TopicPartition(partition.get(0).asText(), partition.get(1).asInt()));
        }
        final List<String> topics = new ArrayList<>();
        for (final JsonNode subtopology : group.get("subtopologies")) {
            for (final JsonNode source : subtopology.get("sources")) {
                topics.add(source.get(0).asText());
            }
        }
        return new Subscription(topics, userData(member, sums), owned);
    }

    private static ByteBuffer userData(final JsonNode member, final Map<TaskId, Long> sums) throws Exception {
        final Class<?> protocol = Inside.type(ASSIGNMENT + "StreamsAssignmentProtocolVersions");
        final int latest = Inside.field(protocol, "LATEST_SUPPORTED_VERSION").getInt(null);
        final int used = member.hasNonNull("version") ? member.get("version").asInt() : latest;
        final Map<String, String> tags = new HashMap<>();
        if (member.has("tags")) {
            member.get("tags").fields().forEachRemaining(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
        }
        for (final Constructor<?> constructor : Inside.type(ASSIGNMENT + "SubscriptionInfo").getConstructors()) {
            final Object[] values = new Object[constructor.getParameterCount()];
            final List<Object> numbers = new ArrayList<>(List.of(used, latest, 0));
            final List<Object> maps = new ArrayList<>(List.of(sums, tags));
            for (int i = 0; i < values.length; i++) {
                final Class<?> parameter = constructor.getParameterTypes()[i];
                if (parameter == int.class) {
                    values[i] = numbers.remove(0);
                } else if (parameter == byte.class) {
                    values[i] = (byte) 0;
                } else if (parameter == Map.class) {
                    values[i] = maps.remove(0);
                } else if (parameter == String.class) {
                    values[i] = null;
                } else {
                    values[i] = processId(member.get("process").asText());
                }
            }
            return (ByteBuffer) Inside.call(constructor.newInstance(values), "encode");
        }
        throw new IllegalStateException("SubscriptionInfo cannot be made");
    }

    private Cluster cluster() {
        final Node node = new Node(0, "127.0.0.1", 1);
        final Node[] nodes = {node};
        final List<PartitionInfo> partitions = new ArrayList<>();
        for (final JsonNode subtopology : group.get("subtopologies")) {
            for (final JsonNode source : subtopology.get("sources")) {
                for (int partition = 0; partition < source.get(1).asInt(); partition++) {
                    partitions.add(new PartitionInfo(source.get(0).asText(), partition, node, nodes, nodes));
                }
            }
        }
        return new Cluster("cluster", List.of(node), partitions, Collections.emptySet(), Collections.emptySet());
    }

    /** Let the release's own task assignor pass through a proxy that remembers what it was given and returned. */
    private void listen(final Object assignor) throws Exception {
        final String name = Inside.field(assignor.getClass(), "legacyTaskAssignorSupplier") == null
            ? "taskAssignorSupplier" : "legacyTaskAssignorSupplier";
        final Supplier<?> original = (Supplier<?>) Inside.get(assignor, name);
        final Class<?> type = Inside.type(ASSIGNMENT + "LegacyTaskAssignor", ASSIGNMENT + "TaskAssignor");
        final Supplier<Object> listening = () -> {
            final Object real = original.get();
            return Proxy.newProxyInstance(Leader.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                method.setAccessible(true);
                final Object returned;
                try {
                    returned = method.invoke(real, arguments);
                } catch (final InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
                if (method.getName().equals("assign")) {
                    probing = (Boolean) returned;
                    for (final Map.Entry<?, ?> entry : ((Map<?, ?>) arguments[0]).entrySet()) {
                        clientStates.put(entry.getKey().toString(), entry.getValue());
                        decided.put(entry.getKey().toString(), List.of(
                            names((Collection<?>) Inside.call(entry.getValue(), "activeTasks")),
                            names((Collection<?>) Inside.call(entry.getValue(), "standbyTasks"))));
                    }
                }
                return returned;
            });
        };
        Inside.set(assignor, name, listening);
    }

    private final Map<String, List<Set<String>>> decided = new TreeMap<>();

    private static Set<String> names(final Collection<?> tasks) {
        final Set<String> names = new TreeSet<>();
        for (final Object task : tasks) {
            names.add(task.toString());
        }
        return names;
    }

    private void tell(final ObjectNode answer, final Map<String, Assignment> assigned) throws Exception {
        if (probing != null) {
            answer.put("probing", probing);
        }
        final ObjectNode clients = answer.putObject("clients");
        for (final Map.Entry<String, List<Set<String>>> entry : decided.entrySet()) {
            final ObjectNode client = clients.putObject(entry.getKey());
            list(client.putArray("active"), entry.getValue().get(0));
            list(client.putArray("standby"), entry.getValue().get(1));
        }
        final ObjectNode consumers = answer.putObject("consumers");
        for (final Map.Entry<String, Assignment> entry : assigned.entrySet()) {
            final Object info = Inside.method(Inside.type(ASSIGNMENT + "AssignmentInfo"), "decode", 1)
                .invoke(null, entry.getValue().userData());
            final ObjectNode consumer = consumers.putObject(entry.getKey());
            list(consumer.putArray("active"), names((Collection<?>) Inside.call(info, "activeTasks")));
            list(consumer.putArray("standby"), names(((Map<?, ?>) Inside.call(info, "standbyTasks")).keySet()));
            final long next = (Long) Inside.call(info, "nextRebalanceMs");
            consumer.put("next", next == Long.MAX_VALUE ? "none" : next == 0 ? "immediate" : "probing");
            consumer.put("code", (Integer) Inside.call(info, "errCode"));
            final Set<String> withheld = withheld(entry.getKey());
            if (withheld == null) {
                consumer.putNull("withheld");
            } else {
                list(consumer.putArray("withheld"), withheld);
            }
        }
    }

    /** Null where the release does not remember it (2.6), or the leader fell back and did not ask the assignor that we see. */
    private Set<String> withheld(final String member) throws Exception {
        if (clientStates.isEmpty()) {
            return null;
        }
        for (final Object state : clientStates.values()) {
            if (!Inside.has(state.getClass(), "revokingActiveTasksByConsumer", 0)) {
                return null;
            }
            final Object tasks = ((Map<?, ?>) Inside.call(state, "revokingActiveTasksByConsumer")).get(member);
            if (tasks != null) {
                return names((Collection<?>) tasks);
            }
        }
        return Collections.emptySet();
    }

    private static void list(final ArrayNode array, final Set<String> names) {
        names.forEach(array::add);
    }
}
