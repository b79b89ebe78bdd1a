package holdfast;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.processor.internals.InternalTopicConfig;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;

/** Says that every internal topic exists already. It is made without its constructor. */
public class ReadyTopics extends InternalTopicManager {
    public ReadyTopics() {
        super(null, null);
    }

    @Override
    public Set<String> makeReady(final Map<String, InternalTopicConfig> topics) {
        return Collections.emptySet();
    }
}
