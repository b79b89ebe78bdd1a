package org.apache.kafka.coordinator.group;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;

/** The requests of members of the classic protocol to a shard of the coordinator. What it throws is answered as an error, as its broker does. */
final class ClassicRequests {
    private final GroupCoordinatorShard shard;
    private final Consumer<CoordinatorResult<?, CoordinatorRecord>> write;
    private final Function<ApiKeys, RequestContext> from;

    ClassicRequests(
        final GroupCoordinatorShard shard, final Consumer<CoordinatorResult<?, CoordinatorRecord>> write, final Function<ApiKeys, RequestContext> from
    ) {
        this.shard = shard;
        this.write = write;
        this.from = from;
    }

    CompletableFuture<JoinGroupResponseData> join(final JoinGroupRequestData request) {
        final CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        try {
            write.accept(joined(request, answer));
        } catch (final ApiException thrown) {
            answer.complete(new JoinGroupResponseData().setMemberId(request.memberId()).setErrorCode(Errors.forException(thrown).code()));
        }
        return answer;
    }

    CompletableFuture<SyncGroupResponseData> sync(final SyncGroupRequestData request) {
        final CompletableFuture<SyncGroupResponseData> answer = new CompletableFuture<>();
        try {
            write.accept(shard.classicGroupSync(from.apply(ApiKeys.SYNC_GROUP), request, answer));
        } catch (final ApiException thrown) {
            answer.complete(new SyncGroupResponseData().setErrorCode(Errors.forException(thrown).code()));
        }
        return answer;
    }

    Errors heartbeat(final HeartbeatRequestData request) {
        try {
            final var result = shard.classicGroupHeartbeat(from.apply(ApiKeys.HEARTBEAT), request);
            write.accept(result);
            return Errors.forCode(result.response().errorCode());
        } catch (final ApiException thrown) {
            return Errors.forException(thrown);
        }
    }

    void leave(final LeaveGroupRequestData request) {
        write.accept(shard.classicGroupLeave(from.apply(ApiKeys.LEAVE_GROUP), request));
    }

    DescribeGroupsResponseData.DescribedGroup describe(final String group, final long committed) {
        return shard.describeGroups(from.apply(ApiKeys.DESCRIBE_GROUPS), List.of(group), committed).get(0);
    }

    /** From 4.4 on it has one more parameter: whether the topology of a Streams group of that name has been seen to. */
    @SuppressWarnings("unchecked")
    private CoordinatorResult<?, CoordinatorRecord> joined(final JoinGroupRequestData request, final CompletableFuture<JoinGroupResponseData> answer) {
        for (final Method each : shard.getClass().getMethods()) {
            if (each.getName().equals("classicGroupJoin")) {
                final RequestContext context = from.apply(ApiKeys.JOIN_GROUP);
                try {
                    return (CoordinatorResult<?, CoordinatorRecord>) (each.getParameterCount() == 3
                        ? each.invoke(shard, context, request, answer) : each.invoke(shard, context, request, answer, true));
                } catch (final InvocationTargetException thrown) {
                    throw thrown.getCause() instanceof RuntimeException its ? its : new IllegalStateException(thrown.getCause());
                } catch (final IllegalAccessException thrown) {
                    throw new IllegalStateException(thrown);
                }
            }
        }
        throw new IllegalStateException("no classicGroupJoin");
    }
}
