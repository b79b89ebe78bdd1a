package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;

/**
 * What a member says when it joins: `owned`, `sums` and, if given, `version` and `latest` (metadata versions, used and supported),
 * `code` (an error code), `tags`, `endpoint`, `rack`.
 */
final class Members {
    private Members() {
    }

    static Subscription subscription(final JsonNode group, final JsonNode member) throws Exception {
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
        if (member.hasNonNull("rack")) {
            for (final Constructor<?> constructor : Subscription.class.getConstructors()) {
                if (constructor.getParameterCount() == 5) { // from 3.5 on: generation and rack
                    final Optional<String> rack = Optional.of(member.get("rack").asText());
                    return (Subscription) constructor.newInstance(topics, userData(member), owned, -1, rack);
                }
            }
        }
        return new Subscription(topics, userData(member), owned);
    }

    private static ByteBuffer userData(final JsonNode member) throws Exception {
        final Class<?> protocol = Inside.type(Leader.ASSIGNMENT + "StreamsAssignmentProtocolVersions");
        final int known = Inside.field(protocol, "LATEST_SUPPORTED_VERSION").getInt(null);
        final int used = member.hasNonNull("version") ? member.get("version").asInt() : known;
        final int latest = member.hasNonNull("latest") ? member.get("latest").asInt() : Math.max(known, used);
        if (used > known) {
            return fromTheFuture(member, used, latest);
        }
        final Map<TaskId, Long> sums = new HashMap<>();
        final Iterator<Map.Entry<String, JsonNode>> reported = member.get("sums").fields();
        while (reported.hasNext()) {
            final Map.Entry<String, JsonNode> entry = reported.next();
            final String[] parts = entry.getKey().split("_");
            sums.put(new TaskId(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])), entry.getValue().asLong());
        }
        final Map<String, String> tags = new HashMap<>();
        if (member.has("tags")) {
            member.get("tags").fields().forEachRemaining(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
        }
        final int code = member.hasNonNull("code") ? member.get("code").asInt() : 0;
        for (final Constructor<?> constructor : Inside.type(Leader.ASSIGNMENT + "SubscriptionInfo").getConstructors()) {
            final Object[] values = new Object[constructor.getParameterCount()];
            final List<Object> numbers = new ArrayList<>(List.of(used, latest, code));
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
                    values[i] = member.hasNonNull("endpoint") ? member.get("endpoint").asText() : null;
                } else {
                    values[i] = Surroundings.processId(member.get("process").asText());
                }
            }
            return (ByteBuffer) Inside.call(constructor.newInstance(values), "encode");
        }
        throw new IllegalStateException("SubscriptionInfo cannot be made");
    }

    /** Only the first two numbers of a version that is not known yet can be read; the rest is anything. */
    private static ByteBuffer fromTheFuture(final JsonNode member, final int used, final int latest) {
        final UUID process = UUID.fromString(member.get("process").asText());
        final ByteBuffer bytes = ByteBuffer.allocate(40);
        bytes.putInt(used).putInt(latest).putLong(process.getMostSignificantBits()).putLong(process.getLeastSignificantBits());
        bytes.rewind();
        return bytes;
    }
}
