package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The assignor of a release, whose interfaces are not those of the next one. */
public abstract class TargetAssignor {
    /** By subtopology, as the coordinator keeps them: how many tasks, and whether it has changelogs. */
    protected final TreeMap<String, Integer> tasks = new TreeMap<>();
    protected final Set<String> stateful = new HashSet<>();

    /** Make this group's input, in the order in which its members are listed. */
    public abstract void read(JsonNode question);

    public abstract void assign();

    public abstract void write(ObjectNode answer);

    protected final void readTopology(final JsonNode question) {
        tasks.clear();
        stateful.clear();
        for (final JsonNode each : question.get("subtopologies")) {
            tasks.put(each.get(0).asText(), each.get(1).asInt());
            if (each.get(2).asBoolean()) {
                stateful.add(each.get(0).asText());
            }
        }
    }

    protected final List<String> subtopologies() {
        return new ArrayList<>(tasks.keySet());
    }

    protected static Map<String, Set<Integer>> tasks(final JsonNode bySubtopology) {
        final Map<String, Set<Integer>> read = new HashMap<>();
        bySubtopology.fields().forEachRemaining(each -> {
            final Set<Integer> partitions = new HashSet<>();
            each.getValue().forEach(partition -> partitions.add(partition.asInt()));
            read.put(each.getKey(), partitions);
        });
        return read;
    }

    protected static void put(final ObjectNode into, final String what, final Map<String, Set<Integer>> tasks) {
        final ObjectNode written = into.putObject(what);
        new TreeMap<>(tasks).forEach((subtopology, partitions) -> {
            final ArrayNode numbers = written.putArray(subtopology);
            partitions.stream().sorted().forEach(numbers::add);
        });
    }
}
