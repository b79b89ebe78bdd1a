package holdfast;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;

/** Prints what a broker keeps of one group in each version of the record, and which partition (of 50) each of the arguments lives in. */
public final class Groups {
    public static void main(final String[] groupIds) {
        for (short version = 0; version <= 4; version++) {
            final GroupMetadataValue value = new GroupMetadataValue()
                .setProtocolType("consumer")
                .setGeneration(7)
                .setProtocol(version == 0 ? null : "stream")
                .setLeader("member-2")
                .setMembers(Arrays.asList(member("member-1", version), member("member-2", version)));
            if (version >= 2) {
                value.setCurrentStateTimestamp(1_700_000_000_123L);
            }
            System.out.println(hex(MessageUtil.toVersionPrefixedByteBuffer(version, value)));
        }
        System.out.println(hex(MessageUtil.toVersionPrefixedByteBuffer((short) 2, new GroupMetadataKey().setGroup("wördcount"))));
        for (final String groupId : groupIds) {
            System.out.println(Utils.abs(groupId.hashCode()) % 50);
        }
    }

    private static GroupMetadataValue.MemberMetadata member(final String id, final short version) {
        final GroupMetadataValue.MemberMetadata member = new GroupMetadataValue.MemberMetadata()
            .setMemberId(id)
            .setClientId("client of " + id)
            .setClientHost("/10.0.0.1")
            .setSessionTimeout(10_000)
            .setSubscription(new byte[] {0, 1, (byte) 0x80})
            .setAssignment(new byte[300]);
        if (version >= 1) {
            member.setRebalanceTimeout(60_000);
        }
        if (version >= 3) {
            member.setGroupInstanceId(id.endsWith("1") ? "instance-1" : null);
        }
        return member;
    }

    private static String hex(final ByteBuffer buffer) {
        final StringBuilder text = new StringBuilder();
        while (buffer.hasRemaining()) {
            text.append(String.format("%02x", buffer.get()));
        }
        return text.toString();
    }
}
