package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * What the brokers would tell the leader: end offsets (`ends`), the topics but those in `missing`, and where each partition's
 * replicas stand (`replicas`: topic to a list of racks for each partition; a rack of null is a broker that has none).
 */
final class Broker {
    private final JsonNode group;
    private final Map<String, Node> nodes = new HashMap<>();

    Broker(final JsonNode group) {
        this.group = group;
    }

    /** Answers listOffsets from the case; an end offset of null is a broker that does not answer. */
    Admin admin() {
        return (Admin) Proxy.newProxyInstance(Broker.class.getClassLoader(), new Class<?>[] {Admin.class}, (self, method, arguments) -> {
            if (method.getName().equals("listOffsets")) {
                return Offsets.list((Map<?, ?>) arguments[0], group.get("ends"));
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    /** The leader's InternalTopicManager: every internal topic exists, its partitions are those of `replicas`. */
    Object topics() throws Exception {
        final Map<String, List<TopicPartitionInfo>> described = new HashMap<>();
        if (group.has("replicas")) {
            group.get("replicas").fields().forEachRemaining(topic -> {
                final List<TopicPartitionInfo> partitions = new ArrayList<>();
                for (int partition = 0; partition < topic.getValue().size(); partition++) {
                    final List<Node> replicas = replicas(topic.getKey(), partition);
                    partitions.add(new TopicPartitionInfo(partition, replicas.isEmpty() ? null : replicas.get(0), replicas, replicas));
                }
                described.put(topic.getKey(), partitions);
            });
        }
        final Object topics = Inside.bare(Inside.type("holdfast.ReadyTopics"));
        Inside.set(topics, "described", described);
        return topics;
    }

    Cluster cluster() {
        final Set<String> missing = new HashSet<>();
        if (group.has("missing")) {
            group.get("missing").forEach(topic -> missing.add(topic.asText()));
        }
        final List<PartitionInfo> partitions = new ArrayList<>();
        for (final JsonNode subtopology : group.get("subtopologies")) {
            for (final JsonNode source : subtopology.get("sources")) {
                final String topic = source.get(0).asText();
                for (int partition = 0; partition < source.get(1).asInt() && !missing.contains(topic); partition++) {
                    final Node[] replicas = replicas(topic, partition).toArray(new Node[0]);
                    partitions.add(new PartitionInfo(topic, partition, replicas.length > 0 ? replicas[0] : null, replicas, replicas));
                }
            }
        }
        return new Cluster("cluster", new HashSet<>(nodes.values()), partitions, Collections.emptySet(), Collections.emptySet());
    }

    private List<Node> replicas(final String topic, final int partition) {
        final List<Node> replicas = new ArrayList<>();
        if (!group.has("replicas") || !group.get("replicas").has(topic)) {
            replicas.add(nodes.computeIfAbsent("", rack -> new Node(0, "127.0.0.1", 1)));
            return replicas;
        }
        for (final JsonNode rack : group.get("replicas").get(topic).get(partition)) {
            replicas.add(nodes.computeIfAbsent(rack.isNull() ? "" : rack.asText(), name ->
                new Node(name.isEmpty() ? 0 : nodes.size() + 1, "127.0.0.1", 1, name.isEmpty() ? null : name)));
        }
        return replicas;
    }
}
