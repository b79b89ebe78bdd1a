package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;

/** Hash codes, orders and collections of the JVM and of this release. */
final class JavaItself {
    private JavaItself() {
    }

    static void answer(final JsonNode question, final ObjectNode answer) {
        final ArrayNode strings = answer.putArray("string hashes");
        final Set<String> stringSet = new HashSet<>();
        for (final JsonNode each : question.get("strings")) {
            strings.add(each.asText().hashCode());
            stringSet.add(each.asText());
        }
        stringSet.forEach(answer.putArray("string set")::add);
        new TreeSet<>(stringSet).forEach(answer.putArray("strings sorted")::add);
        final ArrayNode uuids = answer.putArray("uuid hashes");
        final Set<UUID> uuidSet = new HashSet<>();
        for (final JsonNode each : question.get("uuids")) {
            uuids.add(UUID.fromString(each.asText()).hashCode());
            uuidSet.add(UUID.fromString(each.asText()));
        }
        final ArrayNode uuidOrder = answer.putArray("uuid set");
        uuidSet.forEach(uuid -> uuidOrder.add(uuid.toString()));
        final ArrayNode uuidsSorted = answer.putArray("uuids sorted");
        new TreeSet<>(uuidSet).forEach(uuid -> uuidsSorted.add(uuid.toString()));
        final ArrayNode partitions = answer.putArray("partition hashes");
        for (final JsonNode each : question.get("partitions")) {
            partitions.add(new TopicPartition(each.get(0).asText(), each.get(1).asInt()).hashCode());
        }
        final ArrayNode tasks = answer.putArray("task hashes");
        final Set<TaskId> taskSet = new HashSet<>();
        for (final JsonNode each : question.get("tasks")) {
            final TaskId task = new TaskId(each.get(0).asInt(), each.get(1).asInt());
            tasks.add(task.hashCode());
            taskSet.add(task);
        }
        final ArrayNode taskOrder = answer.putArray("task set");
        taskSet.forEach(task -> taskOrder.add(task.toString()));
        queue(question.get("queue"), answer.putArray("queue"));
    }

    /** What a queue's array is after it was made from numbers and changed: n offers n, null polls, [n] removes n. */
    private static void queue(final JsonNode question, final ArrayNode answer) {
        final List<Integer> first = new ArrayList<>();
        question.get("first").forEach(each -> first.add(each.asInt()));
        final PriorityQueue<Integer> queue = new PriorityQueue<>(first);
        for (final JsonNode change : question.get("changes")) {
            if (change.isNull()) {
                queue.poll();
            } else if (change.isArray()) {
                queue.remove(change.get(0).asInt());
            } else {
                queue.offer(change.asInt());
            }
            queue.forEach(answer.addArray()::add);
        }
    }
}
