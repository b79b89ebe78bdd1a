package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberMetadataAndStateImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;

/** 4.4.0: the assignors have an interface of their own, and hand no warm-up tasks out. */
public final class StickyTarget extends TargetAssignor {
    private Map<String, MemberMetadataAndStateImpl> members;
    private AssignmentConfigsImpl configs;
    private GroupAssignment target;

    @Override
    public void read(final JsonNode question) {
        readTopology(question);
        members = new HashMap<>();
        for (final JsonNode each : question.get("members")) {
            members.put(each.get("id").asText(), new MemberMetadataAndStateImpl(Optional.empty(), Optional.empty(),
                each.get("process").asText(), Map.of(), tasks(each.get("active")), tasks(each.get("standby")),
                tasks(each.path("warmup")), offsets(each.path("offsets")), Map.of()));
        }
        configs = new AssignmentConfigsImpl(question.get("standbys").asInt(), List.of());
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
            put(member, "warmup", Map.of());
        });
    }

    private static Map<String, Map<Integer, Long>> offsets(final JsonNode bySubtopology) {
        final Map<String, Map<Integer, Long>> read = new HashMap<>();
        bySubtopology.fields().forEachRemaining(each -> {
            final Map<Integer, Long> offsets = new HashMap<>();
            each.getValue().fields().forEachRemaining(one -> offsets.put(Integer.parseInt(one.getKey()), one.getValue().asLong()));
            read.put(each.getKey(), offsets);
        });
        return read;
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
