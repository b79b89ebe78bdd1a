package org.apache.kafka.coordinator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskOffset;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData.TaskIds;

/**
 * What the disk of each client has of its stateful tasks, and what members report of it: as a script says, nothing, once, or with each
 * heartbeat. A member reports all that the disk of its client has, without the active tasks that it runs itself.
 */
final class Disks {
    private final Map<String, Map<String, Long>> disks = new TreeMap<>();
    private final Set<String> stateful = new HashSet<>();
    private final Map<String, String> processes = new HashMap<>();
    private final Map<String, String> how = new HashMap<>();
    private final long end;

    /** Without "disks" in the script no member reports anything. */
    Disks(final JsonNode script) {
        end = script.path("end offset").asLong();
        for (final JsonNode each : script.get("subtopologies")) {
            if (each.get(2).asBoolean()) {
                stateful.add(each.get(0).asText());
            }
        }
        script.path("disks").fields().forEachRemaining(disk -> {
            final Map<String, Long> holds = of(disk.getKey());
            disk.getValue().fields().forEachRemaining(task -> holds.put(task.getKey(), task.getValue().asLong()));
        });
    }

    private Map<String, Long> of(final String process) {
        return disks.computeIfAbsent(process, none -> new TreeMap<>());
    }

    void start(final String member, final JsonNode join) {
        processes.put(member, join.get("process").asText());
        how.put(member, join.path("reports").asText("nothing"));
    }

    /** The disk of a process is a copy of that of another, besides what it has; or empty. */
    void place(final String process, final String source) {
        if (source == null) {
            of(process).clear();
        } else {
            of(source).forEach(of(process)::putIfAbsent);
        }
    }

    /** Null: nothing new. */
    List<TaskOffset> reported(final String member, final List<TaskIds> runs) {
        if (how.get(member).equals("nothing")) {
            return null;
        }
        how.replace(member, "once", "nothing");
        final List<TaskOffset> found = new ArrayList<>();
        of(processes.get(member)).forEach((task, offset) -> {
            final String subtopology = task.substring(0, task.lastIndexOf('_'));
            final int partition = Integer.parseInt(task.substring(task.lastIndexOf('_') + 1));
            if (runs.stream().noneMatch(each -> each.subtopologyId().equals(subtopology) && each.partitions().contains(partition))) {
                found.add(new TaskOffset().setSubtopologyId(subtopology).setPartition(partition).setOffset(offset));
            }
        });
        return found;
    }

    /** The copies of tasks that a member has are up to date. */
    void keep(final String member, final List<TaskIds> tasks) {
        for (final TaskIds each : tasks) {
            if (stateful.contains(each.subtopologyId())) {
                each.partitions().forEach(partition -> of(processes.get(member)).put(each.subtopologyId() + "_" + partition, end));
            }
        }
    }

    void show(final ObjectNode shown) {
        final ObjectNode found = shown.putObject("disks");
        disks.forEach((process, tasks) -> {
            final ObjectNode disk = found.putObject(process);
            tasks.forEach(disk::put);
        });
    }
}
