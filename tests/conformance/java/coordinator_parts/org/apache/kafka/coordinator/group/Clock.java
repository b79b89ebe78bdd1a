package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;

/** Time that only a script moves, and timers that run by it. The timer's parameters differ up to 4.2: it is implemented without them. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class Clock implements Time, CoordinatorTimer {
    private record Timer(long at, CoordinatorTimer.TimeoutOperation operation) { }

    private final Map<String, Timer> timers = new LinkedHashMap<>();
    private long now = 1_000; // as in tests of Kafka

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(final long ms) {
        now += ms;
    }

    @Override
    public void waitObject(final Object on, final Supplier<Boolean> condition, final long until) {
        throw new UnsupportedOperationException("nothing waits");
    }

    /** What the timers do that are over, in their order; each is asked before any of it has an effect. */
    List<CoordinatorResult<Void, CoordinatorRecord>> over() {
        final List<Map.Entry<String, Timer>> over = new ArrayList<>(timers.entrySet().stream().filter(each -> each.getValue().at() <= now)
            .sorted(Comparator.comparingLong(each -> each.getValue().at())).toList());
        final List<CoordinatorResult<Void, CoordinatorRecord>> found = new ArrayList<>();
        for (final Map.Entry<String, Timer> each : over) {
            if (timers.get(each.getKey()) == each.getValue()) { // none before has taken it back
                timers.remove(each.getKey());
                found.add(each.getValue().operation().generateRecords());
            }
        }
        return found;
    }

    @Override
    public void schedule(final String key, final long delay, final TimeUnit unit, final boolean retry, final TimeoutOperation operation) {
        schedule(key, delay, unit, retry, 0, operation);
    }

    @Override
    public void schedule(
        final String key, final long delay, final TimeUnit unit, final boolean retry, final long backoff, final TimeoutOperation operation
    ) {
        timers.remove(key);
        timers.put(key, new Timer(now + unit.toMillis(delay), operation));
    }

    @Override
    public void scheduleIfAbsent(
        final String key, final long delay, final TimeUnit unit, final boolean retry, final TimeoutOperation operation
    ) {
        if (!timers.containsKey(key)) {
            schedule(key, delay, unit, retry, operation);
        }
    }

    @Override
    public void cancel(final String key) {
        timers.remove(key);
    }

    /** Part of the timer since 4.1. */
    public boolean isScheduled(final String key) {
        return timers.containsKey(key);
    }
}
