package holdfast;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.assignment.AssignorConfiguration;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor;

/** A sticky assignor by its type, which passes what it is asked on to another. */
public class SeenSticky extends StickyTaskAssignor {
    private final Function<Object[], Boolean> passOn;

    public SeenSticky(final Function<Object[], Boolean> passOn) {
        this.passOn = passOn;
    }

    @Override
    public boolean assign(
        final Map<UUID, ClientState> clients,
        final Set<TaskId> tasks,
        final Set<TaskId> stateful,
        final AssignorConfiguration.AssignmentConfigs configs
    ) {
        return passOn.apply(new Object[] {clients, tasks, stateful, configs});
    }
}
