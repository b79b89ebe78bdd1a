"""A Snapshot of one running group: what is visible, what its members would report now, and what could not be read.

The effects are in the ports; what is inferred is inferred in `holdfast.kafka`. Nothing is guessed: what is missing is named.
"""

from datetime import datetime, timedelta

from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import membership, reports
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.streams.membership import Member
from holdfast.kafka.streams.reports import Report
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.ports import ClusterReader, ObservedGroup, StateDirectoryReader
from holdfast.rollout.json import instants
from holdfast.rollout.streams.snapshot import churn
from holdfast.rollout.streams.snapshot.evidence import Assigned, Evidence, LastJoin
from holdfast.rollout.streams.snapshot.snapshot import GenerationMember, Snapshot
from holdfast.workflows.collecting.observed import Reading
from holdfast.workflows.collecting.present_generation import present_generation, with_session_timeout
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE, is_rebalancing, settled_group, why_no_members
from holdfast.workflows.collecting.streams import disks as state_directories
from holdfast.workflows.collecting.streams import topology
from holdfast.workflows.collecting.streams.settings import GroupSettings
from holdfast.workflows.collecting.streams.topology import Gathered

PROTOCOL = "stream"
"""The assignor's name under which classic Streams members join. Java: `StreamsPartitionAssignor.name`."""
_ERRORS = {1: "a source topic is missing", 2: "version probing", 3: "the assignment failed", 4: "a shutdown was requested"}
_GENERATION_BYTES = 8 * 1024 * 1024


def snapshot(
    cluster: ClusterReader,
    disks: StateDirectoryReader,
    wanted: Reading,
    settings: GroupSettings,
    seen: ObservedGroup | None = None,
) -> Snapshot:
    """`seen`: the group as it was described a moment ago, if it was.

    Raise ClusterTrouble for a cluster or group that is not there, Unsupported for a group of another kind.
    """
    info = cluster.info()
    patience = wanted.patience
    found = Gathered(settled_group(cluster, wanted.group_id, patience, _rebalancing, seen), list(settings.unknown))
    moment = wanted.now()
    _refuse_other_kinds(found.group)
    _read_generations(cluster, found)
    state_directories.read(disks, wanted.state_dirs, settings, found)
    if found.group.state == "Stable" and found.group.members:
        found.members = tuple(
            membership.decode(member.member_id, member.subscription, member.assignment) for member in found.group.members
        )
        _note_errors(found)
        if any(member.next_rebalance_ms == 0 for member in found.members):
            found.note(
                "group_state",
                f"an immediate follow-up rebalance was due, and still is after {patience.limit_s:g} s: this may soon be outdated",
            )
        topology.read(cluster, settings, found)
    else:
        found.note("clients", why_no_members(found.group, patience))
    _note_churn(found, moment)
    config = with_session_timeout(settings.config, present_generation(found.group, found.generations), found.unknown)
    inferred = _inferred(settings, found, moment)
    leader = _leader(found)
    if found.members and leader is None:
        found.note(
            "leader_process_id", "the present generation was not found in __consumer_offsets; no other source names its leader"
        )
    return Snapshot(
        cluster=wanted.cluster(info),
        group_id=wanted.group_id,
        captured_at=instants.to_millisecond(moment),
        protocol="streams-classic",
        group_state=found.group.state,
        kafka_release=settings.kafka_release,
        task_assignor=settings.task_assignor,
        leader_process_id=leader,
        config=config,
        tasks=found.tasks,
        clients=_clients(found, inferred),
        topics=found.topics,
        evidence=_evidence(found.members),
        state_directories=found.directories,
        generations=found.generations,
        unknown=tuple(found.unknown),
        stores=settings.stores,
    )


def _rebalancing(group: ObservedGroup) -> bool:
    """An immediate follow-up rebalance counts, too."""
    if is_rebalancing(group):
        return True
    if group.state != "Stable" or group.protocol != PROTOCOL:
        return False
    members = (membership.decode(each.member_id, each.subscription, each.assignment) for each in group.members)
    return any(member.next_rebalance_ms == 0 for member in members)


def _refuse_other_kinds(group: ObservedGroup) -> None:
    if group.described is not None:
        raise Unsupported(
            f"{group.group_id!r} is a Streams group whose broker assigns (group.protocol=streams);"
            " one whose leader assigns is needed"
        )
    if group.protocol_type not in (PROTOCOL_TYPE, ""):
        raise Unsupported(
            f"{group.group_id!r} is a group of the kind {group.protocol_type!r} (Kafka Connect calls its groups 'connect'); "
            "Kafka Streams groups are covered"
        )
    if group.members and group.state == "Stable" and group.protocol != PROTOCOL:
        raise Unsupported(
            f"{group.group_id!r} is a consumer group (its assignor is {group.protocol!r}); a Kafka Streams group is needed, "
            f"whose assignor is {PROTOCOL!r}"
        )


def _note_errors(found: Gathered) -> None:
    """A leader that could not assign sends every member an error code and no tasks."""
    codes = sorted({member.error_code: None for member in found.members if member.error_code})
    for code in codes:
        found.note(
            "clients", f"the leader answered with error code {code} ({_ERRORS.get(code, 'unknown')}): no task is running there"
        )


def _note_churn(found: Gathered, moment: datetime) -> None:
    """A client that dies again and again makes everything here old within seconds."""
    for one in churn.churning(found.generations, moment.isoformat()):
        what = "clients" if one.process_id is None else f"clients.{one.process_id}"
        found.note(what, f"{churn.in_words(one)} {churn.REMEDY}")


def _read_generations(cluster: ClusterReader, found: Gathered) -> None:
    try:
        found.generations, unknown = cluster.generations(found.group.group_id)
    except ClusterTrouble as trouble:
        found.note("generations", str(trouble))
    else:
        found.unknown.extend(unknown)
        _keep_newest(found)


def _keep_newest(found: Gathered) -> None:
    """A large group's generations are megabytes each: the newest are kept, the present one in any case."""
    room = _GENERATION_BYTES
    kept = 0
    for generation in reversed(found.generations):
        room -= sum(len(member.subscription) + len(member.assignment) for member in generation.members)
        if kept and room < 0:
            found.note("generations", f"those before {generation.number + 1} are left out: {_GENERATION_BYTES} bytes are kept")
            break
        kept += 1
    found.generations = found.generations[len(found.generations) - kept :]


def _leader(found: Gathered) -> ProcessId | None:
    latest = present_generation(found.group, found.generations)
    if latest is None:
        return None
    return next((member.process_id for member in found.members if member.member_id == latest.leader_member_id), None)


def _inferred(settings: GroupSettings, found: Gathered, moment: datetime) -> dict[str, Report]:
    disks = state_directories.disk_copies(settings, found)
    if not found.members:
        return {}
    known = behaviour(settings.kafka_release) if settings.kafka_release else None
    since_4_3 = known is not None and known.closed_copy_counts_last_record
    seen = reports.KnownState(
        members=found.members,
        tasks=found.tasks,
        disks=disks,
        standby_before=_standby_before(found),
        closed_copy_counts_last_record=since_4_3,
        transactional=settings.transactional,
        idle_close_keeps_progress=known is None or known.idle_close_keeps_progress,
        closed_copies_deleted=_cleaned_since(settings, found, moment),
    )
    inferred, assumed = reports.infer(seen)
    for each in assumed:
        tasks = ", ".join(str(task) for task in each.tasks)
        found.note(f"clients.{each.process_id}.task_offset_sums", f"assumed for {tasks}: {each.reason}")
    return {report.member_id: report for report in inferred}


def _cleaned_since(settings: GroupSettings, found: Gathered, moment: datetime) -> bool:
    """Whether Kafka's cleaner has been over every disk since: it runs as often as it lets a closed copy live."""
    latest = present_generation(found.group, found.generations)
    if latest is None:
        return False
    age = moment - datetime.fromisoformat(latest.completed_at)
    return age > timedelta(milliseconds=2 * settings.cleanup_delay_ms)


def _standby_before(found: Gathered) -> dict[str, tuple[TaskId, ...]]:
    """Each member's standby tasks in the generation before the present one."""
    latest = present_generation(found.group, found.generations)
    if latest is None:
        return {}
    before = next((each for each in found.generations if each.number == latest.number - 1), None)
    return {member.member_id: tuple(task for task, _ in member.standby) for member in found.decoded(before)} if before else {}


def _clients(found: Gathered, inferred: dict[str, Report]) -> tuple[Client, ...]:
    """Clients in the order in which the broker lists their members; tags and end point are the first one's, as for the leader."""
    described = {member.member_id: member for member in found.group.members}
    by_process: dict[ProcessId, list[Member]] = {}
    for member in found.members:
        by_process.setdefault(member.process_id, []).append(member)
    return tuple(
        Client(
            process_id,
            tuple(_consumer(member, described[member.member_id], inferred[member.member_id]) for member in members),
            host=described[members[0].member_id].client_host.removeprefix("/") or None,
            rack=members[0].rack,
            client_tags=members[0].client_tags,
            user_endpoint=members[0].user_endpoint,
        )
        for process_id, members in by_process.items()
    )


def _consumer(member: Member, described: GenerationMember, report: Report) -> Consumer:
    return Consumer(
        member.member_id,
        described.client_id,
        described.group_instance_id,
        report.owned,
        report.task_offset_sums,
        member.metadata_version,
    )


def _evidence(members: tuple[Member, ...]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            member.member_id,
            Assigned(tuple(task for task, _ in member.active), tuple(sorted(task for task, _ in member.standby))),
            LastJoin(member.joined_owned, tuple(sorted(member.joined_sums)), member.metadata_version),
        )
        for member in members
    )
