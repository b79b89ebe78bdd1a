package org.apache.kafka.coordinator.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A consumer of the classic protocol: it joins, assigns with Kafka's own assignors where it leads, syncs, and beats. */
final class ClassicMember {
    private final ClassicRequests requests;
    private final String group;
    private final String instance;
    private final List<String> topics;
    private final Optional<String> rack;
    private final Map<String, List<String>> racks;
    private final List<ConsumerPartitionAssignor> assignors = new ArrayList<>();

    private final Map<Integer, Set<TopicPartition>> handed = new TreeMap<>();

    private String id;
    private int generation = -1;
    private Set<TopicPartition> owned = new HashSet<>();
    private boolean joins = true;
    private String protocol;
    private CompletableFuture<JoinGroupResponseData> joining;
    private CompletableFuture<SyncGroupResponseData> syncing;

    /**
     * `id`: empty, or one that a coordinator whose group is of the new protocol takes as it is. `racks`: of each topic the rack of each partition's
     * one replica; of those that are not there the rack is unknown.
     */
    ClassicMember(
        final ClassicRequests requests, final String group, final String id, final String instance, final List<String> topics,
        final List<String> names, final String rack, final Map<String, List<String>> racks
    ) {
        this.rack = Optional.ofNullable(rack);
        this.racks = racks;
        this.requests = requests;
        this.id = id;
        this.group = group;
        this.instance = instance;
        this.topics = topics;
        for (final ConsumerPartitionAssignor each
            : List.of(new RangeAssignor(), new RoundRobinAssignor(), new StickyAssignor(), new CooperativeStickyAssignor())) {
            if (names.contains(each.name())) {
                assignors.add(each);
            }
        }
    }

    String id() {
        return id;
    }

    /** What it was handed in each generation. */
    Map<Integer, Set<TopicPartition>> handed() {
        return handed;
    }

    int generation() {
        return generation;
    }

    /** What it does until the coordinator lets it wait. `there`: the partitions of each topic, which it assigns if it leads. */
    void poll(final Map<String, Integer> there) {
        for (int turns = 0; turns < 50 && turn(there); turns++) {
            // each turn sends what the one before gave a reason for
        }
    }

    void beat(final Map<String, Integer> there) {
        poll(there);
        if (beats()) {
            poll(there);
        }
    }

    /** As members of processes of their own: they beat, and each sends what an answer gives a reason for before one of them sends what follows. */
    static void beatTogether(final Collection<ClassicMember> members, final Map<String, Integer> there) {
        members.forEach(ClassicMember::beats);
        boolean turned = true;
        for (int turns = 0; turns < 50 && turned; turns++) {
            turned = false;
            for (final ClassicMember each : members) {
                turned |= each.turn(there);
            }
        }
    }

    /** Whether it has to join again. */
    private boolean beats() {
        if (joins || joining != null || syncing != null) {
            return false;
        }
        final Errors error = requests.heartbeat(
            new HeartbeatRequestData().setGroupId(group).setMemberId(id).setGroupInstanceId(instance).setGenerationId(generation));
        if (error != Errors.NONE) {
            rejoin(error);
        }
        return error != Errors.NONE;
    }

    void leave() {
        requests.leave(new LeaveGroupRequestData().setGroupId(group).setMembers(List.of(
            new org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity().setMemberId(id).setGroupInstanceId(instance))));
    }

    private boolean turn(final Map<String, Integer> there) {
        if (joining != null && joining.isDone()) {
            joined(joining.join(), there);
            return true;
        }
        if (syncing != null && syncing.isDone()) {
            synced(syncing.join());
            return true;
        }
        if (joins && joining == null && syncing == null) {
            join();
            return true;
        }
        return false;
    }

    private void join() {
        joins = false;
        if (!cooperative()) {
            owned = new HashSet<>();
        }
        final JoinGroupRequestData.JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        for (final ConsumerPartitionAssignor each : assignors) {
            final Subscription subscription = new Subscription(topics, each.subscriptionUserData(Set.copyOf(topics)), List.copyOf(owned),
                generation, rack);
            protocols.add(new JoinGroupRequestData.JoinGroupRequestProtocol().setName(each.name())
                .setMetadata(ConsumerProtocol.serializeSubscription(subscription).array()));
        }
        joining = requests.join(new JoinGroupRequestData().setGroupId(group).setMemberId(id).setGroupInstanceId(instance)
            .setProtocolType("consumer").setProtocols(protocols).setSessionTimeoutMs(45000).setRebalanceTimeoutMs(300000));
    }

    private void joined(final JoinGroupResponseData answer, final Map<String, Integer> there) {
        joining = null;
        final Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.MEMBER_ID_REQUIRED) {
            id = answer.memberId();
            joins = true;
        } else if (error != Errors.NONE) {
            rejoin(error);
        } else {
            id = answer.memberId();
            generation = answer.generationId();
            protocol = answer.protocolName();
            final SyncGroupRequestData request = new SyncGroupRequestData().setGroupId(group).setMemberId(id).setGroupInstanceId(instance)
                .setGenerationId(generation).setProtocolType("consumer").setProtocolName(protocol);
            if (id.equals(answer.leader())) {
                request.setAssignments(assigned(answer, there));
            }
            syncing = requests.sync(request);
        }
    }

    private List<SyncGroupRequestData.SyncGroupRequestAssignment> assigned(final JoinGroupResponseData answer, final Map<String, Integer> there) {
        final Map<String, Subscription> members = new HashMap<>();
        answer.members().forEach(each -> {
            final Subscription subscription = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(each.metadata()));
            subscription.setGroupInstanceId(Optional.ofNullable(each.groupInstanceId()));
            members.put(each.memberId(), subscription);
        });
        final List<SyncGroupRequestData.SyncGroupRequestAssignment> found = new ArrayList<>();
        assignor().assign(cluster(there), new GroupSubscription(members)).groupAssignment().forEach((member, each) -> found.add(
            new SyncGroupRequestData.SyncGroupRequestAssignment().setMemberId(member).setAssignment(ConsumerProtocol.serializeAssignment(each).array())));
        return found;
    }

    /** A node for each rack, and one for those partitions whose rack is unknown. */
    private Cluster cluster(final Map<String, Integer> there) {
        final Map<String, Node> nodes = new TreeMap<>();
        final List<PartitionInfo> all = new ArrayList<>();
        there.forEach((topic, count) -> {
            for (int number = 0; number < count; number++) {
                final String in = racks.containsKey(topic) ? racks.get(topic).get(number) : null;
                final Node node = nodes.computeIfAbsent(String.valueOf(in), each -> new Node(nodes.size(), "localhost", 9092, in));
                all.add(new PartitionInfo(topic, number, node, new Node[] {node}, new Node[] {node}));
            }
        });
        return new Cluster("cluster", nodes.values(), all, Set.of(), Set.of());
    }

    private void synced(final SyncGroupResponseData answer) {
        syncing = null;
        final Errors error = Errors.forCode(answer.errorCode());
        if (error != Errors.NONE) {
            rejoin(error);
            return;
        }
        final Assignment given = ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(answer.assignment()));
        final Set<TopicPartition> after = new HashSet<>(given.partitions());
        joins = cooperative() && !after.containsAll(owned);
        owned = after;
        handed.put(generation, after);
        assignor().onAssignment(given, new ConsumerGroupMetadata(group, generation, id, Optional.ofNullable(instance)));
    }

    private void rejoin(final Errors error) {
        joins = error != Errors.FENCED_INSTANCE_ID;
        if (error == Errors.UNKNOWN_MEMBER_ID) {
            id = "";
            generation = -1;
            owned = new HashSet<>();
        }
    }

    private ConsumerPartitionAssignor assignor() {
        return assignors.stream().filter(each -> each.name().equals(protocol)).findFirst().orElseThrow();
    }

    private boolean cooperative() {
        return assignors.stream().allMatch(each -> each.supportedProtocols().contains(RebalanceProtocol.COOPERATIVE));
    }
}
