package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;

/** Hash codes, orders and collections of the JVM and of this release. */
final class JavaItself {
    private JavaItself() {
    }

    static void answer(final JsonNode question, final ObjectNode answer) throws Exception {
        keys(question, answer);
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
        answer.set("tasks sorted", names(answer, new TreeSet<>(taskSet)));
        copies(answer, "task", taskSet);
        copies(answer, "uuid", uuidSet);
        copies(answer, "string", stringSet);
        answer.set("tasks collected", names(answer, tasks(question).stream().collect(Collectors.toSet())));
        for (final JsonNode each : question.get("tasks removed")) {
            taskSet.remove(new TaskId(each.get(0).asInt(), each.get(1).asInt()));
        }
        answer.set("tasks left", names(answer, taskSet));
        queue(question.get("queue"), answer.putArray("queue"));
    }

    private static List<TaskId> tasks(final JsonNode question) {
        final List<TaskId> tasks = new ArrayList<>();
        question.get("tasks").forEach(each -> tasks.add(new TaskId(each.get(0).asInt(), each.get(1).asInt())));
        return tasks;
    }

    /** The ways in which tables are copied: they differ in the size of the new one. */
    private static <T> void copies(final ObjectNode answer, final String what, final Set<T> set) {
        answer.set(what + " set copied", names(answer, new HashSet<>(set)));
        final Set<T> added = new HashSet<>();
        added.addAll(set);
        answer.set(what + " set added", names(answer, added));
        final Map<T, Integer> map = new HashMap<>();
        set.forEach(each -> map.put(each, 0));
        answer.set(what + " map copied", names(answer, new HashMap<>(map).keySet()));
        final Map<T, Integer> put = new HashMap<>();
        put.putAll(map);
        answer.set(what + " map put", names(answer, put.keySet()));
    }

    private static ArrayNode names(final ObjectNode answer, final Collection<?> keys) {
        final ArrayNode names = answer.arrayNode();
        keys.forEach(key -> names.add(key.toString()));
        return names;
    }

    /** The hash codes of this release's own keys of maps: a client's ID, and a subtopology. */
    private static void keys(final JsonNode question, final ObjectNode answer) throws Exception {
        final ArrayNode processes = answer.putArray("process hashes");
        for (final JsonNode each : question.get("uuids")) {
            processes.add(Surroundings.processId(each.asText()).hashCode());
        }
        final ArrayNode subtopologies = answer.putArray("subtopology hashes");
        final String subtopology = "org.apache.kafka.streams.processor.internals.TopologyMetadata$Subtopology";
        for (int number = 0; number < 20; number++) {
            final Object key = Inside.exists(subtopology) ? Inside.make(Inside.type(subtopology), number, null) : (Object) number;
            subtopologies.add(key.hashCode());
        }
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
