package org.apache.kafka.coordinator.group;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;

/** What a coordinator has written into its log, as bytes and in words. */
final class Records {
    private Records() { }

    static ArrayNode encoded(final List<CoordinatorRecord> written) {
        final ArrayNode records = new ObjectMapper().createArrayNode();
        final GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
        for (final CoordinatorRecord record : written) {
            final ObjectNode kept = records.addObject();
            kept.put("key", Base64.getEncoder().encodeToString(serde.serializeKey(record)));
            final byte[] value = serde.serializeValue(record);
            kept.put("value", value == null ? null : Base64.getEncoder().encodeToString(value));
            kept.put("says", record.key() + " " + record.value());
        }
        return records;
    }
}
