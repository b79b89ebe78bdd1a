"""The leader's decision in a rebalance now."""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, LeaderFailure
from holdfast.kafka.consumer.release import LINES
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.group_state import refuse_unsettled


def decide(snapshot: ConsumerSnapshot) -> Assignment | LeaderFailure:
    """The leader's decision now. Without a release: that of every release, or CannotPredict where they differ."""
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members))
    if snapshot.kafka_release is not None:
        return leader.assign(snapshot.group(snapshot.kafka_release))
    answers = [(line.releases[-1], leader.assign(snapshot.group(line.releases[-1]))) for line in reversed(LINES)]
    first = _whatever_order(answers[0][1])
    different = [release for release, answer in answers if _whatever_order(answer) != first]
    if different:
        raise CannotPredict(
            f"The release of the Kafka clients is unknown, and it matters here: {answers[0][0]} gives one result,"
            f" {', '.join(different)} another. Give it with --kafka-release."
        )
    return answers[0][1]


def _whatever_order(answer: Assignment | LeaderFailure) -> Assignment | LeaderFailure:
    """The order in which a leader lists partitions is not in the contract."""
    if isinstance(answer, LeaderFailure):
        return answer
    return replace(answer, members=tuple(replace(one, partitions=tuple(sorted(one.partitions))) for one in answer.members))
