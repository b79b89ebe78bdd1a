package holdfast;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.TopicConfig;

/** The keys that a topic can be configured with, which Streams takes behind `topic.`. */
final class TopicKeys {
    private TopicKeys() {
    }

    static Set<String> all() throws IllegalAccessException {
        final Set<String> keys = new TreeSet<>();
        for (final Field field : TopicConfig.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().endsWith("_CONFIG")) {
                keys.add((String) field.get(null));
            }
        }
        return keys;
    }
}
