package holdfast;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;

/** End offsets of changelogs, as a broker would answer. */
final class Offsets {
    private Offsets() {
    }

    static ListOffsetsResult list(final Map<?, ?> asked, final JsonNode ends) {
        final Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> answers = new HashMap<>();
        for (final Object key : asked.keySet()) {
            final TopicPartition partition = (TopicPartition) key;
            final KafkaFutureImpl<ListOffsetsResultInfo> answer = new KafkaFutureImpl<>();
            final JsonNode end = ends.get(partition.topic()).get(partition.partition());
            if (end.isNull()) {
                answer.completeExceptionally(new TimeoutException("nobody answers"));
            } else {
                answer.complete(new ListOffsetsResultInfo(end.asLong(), -1, Optional.empty()));
            }
            answers.put(partition, answer);
        }
        return new ListOffsetsResult(answers);
    }
}
