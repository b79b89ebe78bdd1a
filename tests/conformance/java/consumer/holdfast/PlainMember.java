package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;

/** A consumer's memory from one rebalance to the next: its assignors', and what it owns if all of them are cooperative. */
final class PlainMember {
    private final Map<String, ConsumerPartitionAssignor> assignors = new LinkedHashMap<>();
    private final List<String> topics = new ArrayList<>();
    private final Optional<String> rack;
    private boolean cooperative = true;
    private List<TopicPartition> assigned = Collections.emptyList();
    private int generation;

    PlainMember(final JsonNode member) {
        member.get("subscription").forEach(topic -> topics.add(topic.asText()));
        rack = Optional.ofNullable(member.hasNonNull("rack") ? member.get("rack").asText() : null);
        generation = member.hasNonNull("generation") ? member.get("generation").asInt() : -1;
        final List<TopicPartition> owned = new ArrayList<>();
        member.get("owned").forEach(one -> owned.add(new TopicPartition(one.get(0).asText(), one.get(1).asInt())));
        for (final JsonNode each : member.get("assignors")) {
            final ConsumerPartitionAssignor own = PlainLeader.newAssignor(each.asText());
            cooperative &= each.asText().equals("cooperative-sticky");
            if (!owned.isEmpty() || generation >= 0) {
                own.onAssignment(new Assignment(owned), PlainLeader.metadata(generation));
            }
            assignors.put(each.asText(), own);
        }
        assigned = cooperative ? owned : assigned;
    }

    byte[] subscription(final String chosen) throws Exception {
        final ByteBuffer userData = assignors.get(chosen).subscriptionUserData(new TreeSet<>(topics));
        final ByteBuffer written = ConsumerProtocol.serializeSubscription(
            PlainLeader.newSubscription(topics, userData, assigned, generation, rack));
        final byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    void onAssignment(final String chosen, final Assignment handed, final int number) {
        assignors.get(chosen).onAssignment(handed, PlainLeader.metadata(number));
        assigned = cooperative ? handed.partitions() : Collections.emptyList();
        generation = number;
    }
}
