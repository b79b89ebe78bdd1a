package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentMemberSpec;
import org.apache.kafka.coordinator.group.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.assignor.TopologyDescriber;

/** 4.2.0 to 4.3.1. */
public final class StickyTarget extends TargetAssignor {
    private Map<String, AssignmentMemberSpec> members;
    private TreeMap<String, String> configs;
    private GroupAssignment target;

    @Override
    public void read(final JsonNode question) {
        readTopology(question);
        members = new HashMap<>();
        for (final JsonNode each : question.get("members")) {
            members.put(each.get("id").asText(), new AssignmentMemberSpec(Optional.empty(), Optional.empty(), tasks(each.get("active")),
                tasks(each.get("standby")), tasks(each.path("warmup")), each.get("process").asText(), Map.of(), Map.of(), Map.of()));
        }
        configs = new TreeMap<>(Map.of("num.standby.replicas", question.get("standbys").asText()));
    }

    @Override
    public void assign() {
        target = new StickyTaskAssignor().assign(new GroupSpecImpl(members, configs), new Topology());
    }

    @Override
    public void write(final ObjectNode answer) {
        target.members().forEach((id, assignment) -> {
            final ObjectNode member = answer.putObject(id);
            put(member, "active", assignment.activeTasks());
            put(member, "standby", assignment.standbyTasks());
            put(member, "warmup", assignment.warmupTasks());
        });
    }

    private final class Topology implements TopologyDescriber {
        @Override
        public List<String> subtopologies() {
            return StickyTarget.this.subtopologies();
        }

        @Override
        public int maxNumInputPartitions(final String subtopology) {
            return tasks.get(subtopology);
        }

        @Override
        public boolean isStateful(final String subtopology) {
            return stateful.contains(subtopology);
        }
    }
}
