package holdfast;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.streams.processor.internals.InternalTopicConfig;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;

/** Says that every internal topic exists already, and where its replicas stand. It is made without its constructor. */
public class ReadyTopics extends InternalTopicManager {
    private Map<String, List<TopicPartitionInfo>> described;

    public ReadyTopics() {
        super(null, null);
    }

    @Override
    public Set<String> makeReady(final Map<String, InternalTopicConfig> topics) {
        return Collections.emptySet();
    }

    /** Asked from 3.6 on; a topic that is not described is not in the answer. */
    public Map<String, List<TopicPartitionInfo>> getTopicPartitionInfo(final Set<String> topics) {
        final Map<String, List<TopicPartitionInfo>> answer = new HashMap<>(described);
        answer.keySet().retainAll(topics);
        return answer;
    }
}
