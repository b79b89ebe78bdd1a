"""The JSON of a Plan for a streams group whose broker assigns, and the fingerprint of its snapshot.

Reading is strict, and `plan_id` must be the digest of the rest: an edited plan is refused.
"""

from dataclasses import replace

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.broker_streams.change.assumptions import Offsets
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL, SNAPSHOT, StreamsGroupSnapshot, StreamThread, without_disks
from holdfast.rollout.contract.plan_ids import PlanDocument
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json.record import codec_of

PLAN = codec_of(BrokerPlan)
_DOCUMENT = PlanDocument(PLAN)
with_id = _DOCUMENT.with_id
broker_plan_to_json = _DOCUMENT.write
broker_plan_from_json = _DOCUMENT.read


def basis_of(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> StreamsGroupSnapshot:
    """What a plan remembers of the group: not the records of earlier targets, nor what could not be read: the options name it.
    Disks and logs only where targets follow from what members report of them."""
    kept = replace(snapshot, unknown=(), recorded_targets=())
    known = bool(snapshot.state_directories) or change.assume.offsets is Offsets.DISKS
    return _with_copies(kept) if known and _offsets_count(snapshot) else without_disks(kept)


def _with_copies(snapshot: StreamsGroupSnapshot) -> StreamsGroupSnapshot:
    """Of its disks what they have of each task."""
    directories = (StateDirectory(one.url, one.process_id, tasks=one.tasks) for one in snapshot.state_directories)
    return replace(snapshot, state_directories=tuple(directories))


def relied_on(snapshot: StreamsGroupSnapshot) -> dict[str, object]:
    """What a plan goes by: members, what they own and are to own, configs, topology and topics. Not times, hosts and epochs;
    offsets only where the release assigns by them."""
    kept = replace(
        without_disks(snapshot),
        captured_at=None,
        group_state=None,
        group_epoch=None,
        assignment_epoch=None,
        unknown=(),
        recorded_targets=(),
        members=tuple(_relied_on(one, offsets=_offsets_count(snapshot)) for one in snapshot.members),
    )
    return SNAPSHOT.write(kept)


def _relied_on(member: StreamThread, *, offsets: bool) -> StreamThread:
    return replace(
        member,
        client_id="",
        host=None,
        user_endpoint=None,
        member_epoch=None,
        task_offsets=member.task_offsets if offsets else (),
        task_end_offsets=(),
    )


def _offsets_count(snapshot: StreamsGroupSnapshot) -> bool:
    try:
        return snapshot.broker_release is not None and behaviour(snapshot.broker_release).offsets_count
    except Unsupported:
        return False


def is_broker_plan(value: object) -> bool:
    """Whether a document says that it is a plan for a streams group whose broker assigns."""
    return isinstance(value, dict) and "plan_id" in value and value.get("protocol") == PROTOCOL
