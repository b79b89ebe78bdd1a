package holdfast;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.LegacyStickyTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** A sticky assignor by its type, which passes what it is asked on to another. */
public class SeenSticky extends LegacyStickyTaskAssignor {
    private final Function<Object[], Boolean> passOn;

    public SeenSticky(final Function<Object[], Boolean> passOn) {
        this.passOn = passOn;
    }

    @Override
    public boolean assign(
        final Map<ProcessId, ClientState> clients,
        final Set<TaskId> tasks,
        final Set<TaskId> stateful,
        final RackAwareTaskAssignor racks,
        final AssignmentConfigs configs
    ) {
        return passOn.apply(new Object[] {clients, tasks, stateful, racks, configs});
    }
}
