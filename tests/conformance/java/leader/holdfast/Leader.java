package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;

/** One group, given to this release's own StreamsPartitionAssignor.assign with encoded subscriptions, as its consumer would. */
final class Leader {
    static final String INTERNALS = "org.apache.kafka.streams.processor.internals.";
    static final String ASSIGNMENT = INTERNALS + "assignment.";

    private final JsonNode group;

    Leader(final JsonNode group) {
        this.group = group;
    }

    void assign(final ObjectNode answer) throws Exception {
        final Watch watch = new Watch(false);
        tell(answer, watch, run(watch));
        if (watch.sawNothing() && !refused(answer)) {
            seeFallback(answer);
        }
    }

    /** How long `assign` alone takes, in milliseconds: `runs` times after `warm` times, each with an assignor of its own. */
    void time(final ObjectNode answer) throws Exception {
        final Broker broker = new Broker(group);
        final Cluster cluster = broker.cluster();
        final ArrayNode times = answer.putArray("milliseconds");
        final int warm = group.get("warm").asInt();
        for (int run = 0; run < warm + group.get("runs").asInt(); run++) {
            final ConsumerPartitionAssignor assignor = assignor(broker);
            final GroupSubscription members = new GroupSubscription(members());
            final long began = System.nanoTime();
            assignor.assign(cluster, members);
            if (run >= warm) {
                times.add((System.nanoTime() - began) / 1e6);
            }
        }
    }

    private Map<String, Assignment> run(final Watch watch) throws Exception {
        final Broker broker = new Broker(group);
        final ConsumerPartitionAssignor assignor = assignor(broker);
        watch.listen(assignor);
        return assignor.assign(broker.cluster(), new GroupSubscription(members())).groupAssignment();
    }

    private ConsumerPartitionAssignor assignor(final Broker broker) throws Exception {
        final ConsumerPartitionAssignor assignor =
            (ConsumerPartitionAssignor) Inside.type(INTERNALS + "StreamsPartitionAssignor").getConstructor().newInstance();
        ((Configurable) assignor).configure(Surroundings.of(group, broker));
        Inside.set(assignor, "internalTopicManager", broker.topics());
        return assignor;
    }

    private Map<String, Subscription> members() throws Exception {
        // The consumer that leads reads the members into a HashMap, in the order of the broker's list.
        final Map<String, Subscription> members = new HashMap<>();
        for (final JsonNode member : group.get("members")) {
            members.put(member.get("id").asText(), Members.subscription(group, member));
        }
        return members;
    }

    /**
     * Without end offsets the leader makes its fallback assignor itself, where nobody can watch. So it is asked a second time, with
     * a sticky assignor that passes everything on to the fallback assignor; what goes over the wire must be the same.
     */
    private void seeFallback(final ObjectNode answer) throws Exception {
        final Watch watch = new Watch(true);
        final ObjectNode seen = answer.objectNode();
        tell(seen, watch, run(watch));
        for (final JsonNode member : group.get("members")) {
            final JsonNode sent = answer.get("consumers").get(member.get("id").asText());
            final JsonNode again = seen.get("consumers").get(member.get("id").asText());
            for (final String key : List.of("active", "standby", "next", "code")) {
                if (!sent.get(key).equals(again.get(key))) {
                    throw new AssertionError("the watched fallback assignor gave something else: " + answer + " and " + seen);
                }
            }
        }
        answer.setAll(seen);
    }

    private static boolean refused(final ObjectNode answer) {
        for (final JsonNode consumer : answer.get("consumers")) {
            if (consumer.get("code").asInt() != 0) {
                return true;
            }
        }
        return false;
    }

    private static void tell(final ObjectNode answer, final Watch watch, final Map<String, Assignment> assigned) throws Exception {
        watch.tell(answer);
        final ObjectNode consumers = answer.putObject("consumers");
        for (final Map.Entry<String, Assignment> entry : assigned.entrySet()) {
            final Object info = Inside.method(Inside.type(ASSIGNMENT + "AssignmentInfo"), "decode", 1)
                .invoke(null, entry.getValue().userData());
            final ObjectNode consumer = consumers.putObject(entry.getKey());
            list(consumer.putArray("active"), Watch.names((Collection<?>) Inside.call(info, "activeTasks")));
            list(consumer.putArray("standby"), Watch.names(((Map<?, ?>) Inside.call(info, "standbyTasks")).keySet()));
            final long next = (Long) Inside.call(info, "nextRebalanceMs");
            consumer.put("next", next == Long.MAX_VALUE ? "none" : next == 0 ? "immediate" : "probing");
            consumer.put("code", (Integer) Inside.call(info, "errCode"));
            final Set<String> withheld = watch.withheld(entry.getKey());
            if (withheld == null) {
                consumer.putNull("withheld");
            } else {
                list(consumer.putArray("withheld"), withheld);
            }
        }
    }

    static void list(final ArrayNode array, final Set<String> names) {
        names.forEach(array::add);
    }
}
