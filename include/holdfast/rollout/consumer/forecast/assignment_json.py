"""The JSON of a consumer group's Assignment: the leader's decision in one rebalance, or its failure."""

from collections.abc import Iterable

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignment, Assignor, LeaderFailure, MemberAssignment, NextRebalance
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields


def consumer_assignment_to_json(decision: Assignment | LeaderFailure) -> dict[str, object]:
    """Partitions sorted by topic and number, as Java sorts strings."""
    if isinstance(decision, LeaderFailure):
        return {"format_version": strict.FORMAT_VERSION, "error": decision.error}
    return {
        "format_version": strict.FORMAT_VERSION,
        "assignor": str(decision.assignor),
        "consumers": {
            member.member_id: {
                "partitions": _sorted(member.partitions),
                "withheld": _sorted(member.withheld),
                "revoked": _sorted(member.revoked),
                "next_rebalance": str(member.next_rebalance),
            }
            for member in decision.members
        },
    }


def _sorted(partitions: Iterable[TopicPartition]) -> list[object]:
    found = list(partitions)
    if not found:
        return []
    if all(one.topic.isascii() for one in found):
        return kafka.topic_partitions_to_json(sorted(found))
    return kafka.topic_partitions_to_json(sorted(found, key=lambda one: (java.string_order(one.topic), one.partition)))


def consumer_assignment_from_json(value: object) -> Assignment | LeaderFailure:
    """The inverse, but for the leader's order. Raise InvalidInput, or Unsupported for another major version."""
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    if fields.has("error"):
        failure = LeaderFailure(fields.need("error", strict.text))
        fields.finish()
        return failure
    assignment = Assignment(
        assignor=fields.need("assignor", _assignor),
        members=fields.need("consumers", lambda found: strict.each_entry(found, _member)),
    )
    fields.finish()
    return assignment


def _assignor(value: object) -> Assignor:
    try:
        return Assignor(strict.text(value))
    except ValueError:
        raise strict.mismatch(f"one of {', '.join(Assignor)}", value) from None


def _member(key: str, value: object) -> MemberAssignment:
    fields = Fields(value)
    member = MemberAssignment(
        strict.name(key),
        partitions=fields.need("partitions", kafka.topic_partitions),
        withheld=fields.need("withheld", kafka.topic_partitions),
        revoked=fields.need("revoked", kafka.topic_partitions),
        next_rebalance=fields.need("next_rebalance", _next_rebalance),
    )
    fields.finish()
    return member


def _next_rebalance(value: object) -> NextRebalance:
    try:
        return NextRebalance(strict.text(value))
    except ValueError:
        raise InvalidInput(f"none or immediate is needed, {strict.shown(value)} was found") from None
