package org.apache.kafka.coordinator.group;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;

/** Calls of methods that releases name or type in other ways. */
final class Loose {
    private Loose() { }

    /** Tells a coordinator of topics that have changed. */
    static void changed(final Object coordinator, final CoordinatorMetadataDelta delta, final CoordinatorMetadataImage topics) {
        if (has(coordinator, "onMetadataUpdate")) {
            call(coordinator, "onMetadataUpdate", delta, topics);
        } else {
            call(coordinator, "onNewMetadataImage", topics, delta); // up to 4.2
        }
    }

    static boolean has(final Object on, final String name) {
        return Arrays.stream(on.getClass().getMethods()).anyMatch(each -> each.getName().equals(name));
    }

    static Object call(final Object on, final String name, final Object... with) {
        for (final Method each : on.getClass().getMethods()) {
            if (each.getName().equals(name) && each.getParameterCount() == with.length) {
                try {
                    return each.invoke(on, with);
                } catch (final InvocationTargetException thrown) {
                    throw thrown.getCause() instanceof RuntimeException its ? its : new IllegalStateException(thrown.getCause());
                } catch (final IllegalAccessException thrown) {
                    throw new IllegalStateException(thrown);
                }
            }
        }
        throw new IllegalStateException(on.getClass() + " has no " + name);
    }
}
