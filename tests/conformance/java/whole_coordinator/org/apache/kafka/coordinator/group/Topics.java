package org.apache.kafka.coordinator.group;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.server.immutable.ImmutableMap;

/** The topics of a cluster as a coordinator sees them: names and numbers of partitions. The same name is the same topic. */
final class Topics implements CoordinatorMetadataImage {
    private final Map<String, Integer> partitions;
    private final long version;
    private final Set<String> everyName;

    private Topics(final Map<String, Integer> partitions, final long version, final Set<String> before) {
        this.partitions = partitions;
        this.version = version;
        everyName = new TreeSet<>(before);
        everyName.addAll(partitions.keySet());
    }

    static Topics none() {
        return new Topics(Map.of(), 0, Set.of());
    }

    Topics with(final String name, final int count) {
        final Map<String, Integer> all = new LinkedHashMap<>(partitions);
        all.put(name, count);
        return new Topics(all, version + 1, everyName);
    }

    Topics without(final String name) {
        final Map<String, Integer> all = new LinkedHashMap<>(partitions);
        all.remove(name);
        return new Topics(all, version + 1, everyName);
    }

    /** How many partitions each has. */
    Map<String, Integer> counts() {
        return partitions;
    }

    /** Those that were deleted, too. */
    Set<String> everyName() {
        return everyName;
    }

    /** What these differ in from earlier ones. */
    CoordinatorMetadataDelta since(final Topics earlier) {
        return new Delta(this, earlier);
    }

    static Uuid idOf(final String name) {
        final UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    @Override
    public Set<Uuid> topicIds() {
        return partitions.keySet().stream().map(Topics::idOf).collect(Collectors.toSet());
    }

    @Override
    public Set<String> topicNames() {
        ImmutableMap<String, Integer> image = ImmutableMap.empty(); // in which a broker has them, and goes through them by hash code
        for (final Map.Entry<String, Integer> each : partitions.entrySet()) {
            image = image.updated(each.getKey(), each.getValue());
        }
        return image.keySet();
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(final String name) {
        return Optional.ofNullable(partitions.get(name)).map(count -> new Topic(name, count));
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(final Uuid id) {
        return partitions.keySet().stream().filter(name -> idOf(name).equals(id)).findFirst().flatMap(this::topicMetadata);
    }

    @Override
    public CoordinatorMetadataDelta emptyDelta() {
        return since(this);
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public boolean isEmpty() {
        return partitions.isEmpty();
    }

    private record Topic(String name, int partitionCount) implements TopicMetadata {
        @Override
        public Uuid id() {
            return idOf(name);
        }

        @Override
        public List<String> partitionRacks(final int partition) {
            return new ArrayList<>(); // the coordinator sorts it
        }
    }

    private record Delta(Topics now, Topics earlier) implements CoordinatorMetadataDelta {
        @Override
        public Collection<Uuid> createdTopicIds() {
            return now.partitions.keySet().stream().filter(name -> !earlier.partitions.containsKey(name)).map(Topics::idOf)
                .collect(Collectors.toSet());
        }

        @Override
        public Collection<Uuid> changedTopicIds() {
            return now.partitions.entrySet().stream().filter(each -> !each.getValue().equals(earlier.partitions.get(each.getKey())))
                .map(each -> idOf(each.getKey())).collect(Collectors.toSet());
        }

        @Override
        public Set<Uuid> deletedTopicIds() {
            return earlier.partitions.keySet().stream().filter(name -> !now.partitions.containsKey(name)).map(Topics::idOf)
                .collect(Collectors.toSet());
        }

        @Override
        public CoordinatorMetadataImage image() {
            return earlier;
        }
    }
}
