package org.apache.kafka.coordinator.group;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

/** The topics of a cluster: names and numbers of partitions. The same name is the same topic. */
final class Topics {
    private final Map<String, Integer> partitions;
    private final Set<String> everyName;

    private Topics(final Map<String, Integer> partitions, final Set<String> before) {
        this.partitions = partitions;
        everyName = new TreeSet<>(before);
        everyName.addAll(partitions.keySet());
    }

    static Topics none() {
        return new Topics(Map.of(), Set.of());
    }

    Topics with(final String name, final int count) {
        final Map<String, Integer> all = new LinkedHashMap<>(partitions);
        all.put(name, count);
        return new Topics(all, everyName);
    }

    Topics without(final String name) {
        final Map<String, Integer> all = new LinkedHashMap<>(partitions);
        all.remove(name);
        return new Topics(all, everyName);
    }

    /** How many partitions each has. */
    Map<String, Integer> counts() {
        return partitions;
    }

    /** Those that were deleted, too. */
    Set<String> everyName() {
        return everyName;
    }

    static Uuid idOf(final String name) {
        final UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** What these differ in from earlier ones, whose image that is. */
    MetadataDelta since(final Topics earlier, final MetadataImage image) {
        final MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        earlier.partitions.keySet().stream().filter(name -> !partitions.containsKey(name))
            .forEach(name -> delta.replay(new RemoveTopicRecord().setTopicId(idOf(name))));
        partitions.forEach((name, count) -> {
            final int before = earlier.partitions.getOrDefault(name, 0);
            if (before == 0) {
                delta.replay(new TopicRecord().setName(name).setTopicId(idOf(name)));
            }
            for (int number = before; number < count; number++) {
                delta.replay(new PartitionRecord().setTopicId(idOf(name)).setPartitionId(number).setReplicas(List.of(0)).setIsr(List.of(0)).setLeader(0));
            }
        });
        return delta;
    }

    static MetadataImage applied(final MetadataDelta delta) {
        return delta.apply(MetadataProvenance.EMPTY);
    }
}
