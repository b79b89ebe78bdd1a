"""The leader's decision in a rebalance now."""

from holdfast.errors import CannotPredict
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, LeaderFailure
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def decide(snapshot: Snapshot) -> Assignment | LeaderFailure:
    """The leader's decision now. Without a release: that of every release it may be, or CannotPredict where they differ."""
    releases = groups.releases_of(snapshot)
    answers = [(release, leader.assign(groups.group_of(snapshot, release, newer_members=True))) for release in releases]
    first = answers[0][1]
    different = [release for release, answer in answers if answer != first]
    if different:
        alike = ", ".join(release for release, answer in answers if answer == first)
        raise CannotPredict(
            f"The Kafka Streams release is unknown, and it matters here: {alike} give one result, {', '.join(different)}"
            " another. Give it with --kafka-release."
        )
    return first
