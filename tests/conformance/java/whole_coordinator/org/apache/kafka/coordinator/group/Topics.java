package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;

/** The topics of a cluster as a coordinator sees them: names and numbers of partitions. The same name is the same topic. */
final class Topics implements CoordinatorMetadataImage {
    private final Map<String, Integer> partitions;
    private final long version;

    private Topics(final Map<String, Integer> partitions, final long version) {
        this.partitions = partitions;
        this.version = version;
    }

    static Topics none() {
        return new Topics(Map.of(), 0);
    }

    Topics with(final String name, final int count) {
        final Map<String, Integer> all = new LinkedHashMap<>(partitions);
        all.put(name, count);
        return new Topics(all, version + 1);
    }

    /** What these differ in from earlier ones: none of them is deleted. */
    CoordinatorMetadataDelta since(final Topics earlier) {
        return new Delta(this, earlier);
    }

    private static Uuid idOf(final String name) {
        return new Uuid(1, name.hashCode());
    }

    @Override
    public Set<Uuid> topicIds() {
        return partitions.keySet().stream().map(Topics::idOf).collect(Collectors.toSet());
    }

    @Override
    public Set<String> topicNames() {
        return partitions.keySet();
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
            return Set.of();
        }

        @Override
        public CoordinatorMetadataImage image() {
            return earlier;
        }
    }
}
