package org.apache.kafka.coordinator.group;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** A classic Streams group as a coordinator finds it in its log: with these members, or empty. */
final class Classic {
    private Classic() {
    }

    static CoordinatorRecord group(final String name, final JsonNode members) {
        final List<GroupMetadataValue.MemberMetadata> all = new ArrayList<>();
        members.forEach(each -> all.add(new GroupMetadataValue.MemberMetadata().setMemberId(each.asText()).setClientId("client").setClientHost("/127.0.0.1")
            .setSessionTimeout(45000).setRebalanceTimeout(300000).setSubscription(new byte[0]).setAssignment(new byte[0])));
        final GroupMetadataValue value = new GroupMetadataValue().setProtocolType("consumer").setGeneration(7).setMembers(all)
            .setProtocol(all.isEmpty() ? null : "stream").setLeader(all.isEmpty() ? null : all.get(0).memberId());
        return CoordinatorRecord.record(new GroupMetadataKey().setGroup(name), new ApiMessageAndVersion(value, (short) 3));
    }
}
