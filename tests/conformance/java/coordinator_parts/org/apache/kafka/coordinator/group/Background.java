package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;

/** What a coordinator leaves to other threads: done when a script asks for it. */
final class Background implements CoordinatorExecutor<CoordinatorRecord> {
    private final Map<String, Supplier<CoordinatorResult<Void, CoordinatorRecord>>> tasks = new LinkedHashMap<>();

    List<CoordinatorResult<Void, CoordinatorRecord>> done() {
        final List<CoordinatorResult<Void, CoordinatorRecord>> found = new ArrayList<>();
        final var all = List.copyOf(tasks.values());
        tasks.clear();
        all.forEach(each -> found.add(each.get()));
        return found;
    }

    @Override
    public <R> boolean schedule(
        final String key, final TaskRunnable<R> task, final TaskOperation<CoordinatorRecord, R> operation
    ) {
        return tasks.putIfAbsent(key, () -> {
            try {
                return operation.onComplete(task.run(), null);
            } catch (final Throwable thrown) {
                return operation.onComplete(null, thrown);
            }
        }) == null;
    }

    @Override
    public boolean isScheduled(final String key) {
        return tasks.containsKey(key);
    }

    @Override
    public void cancel(final String key) {
        tasks.remove(key);
    }
}
