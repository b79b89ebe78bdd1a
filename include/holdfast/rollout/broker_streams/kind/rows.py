"""A streams group whose broker assigns as rows of tables. Plain values only."""

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.config_keys import STANDBYS
from holdfast.kafka.coordinator.streams.group import Subtopology, Task, each_task
from holdfast.rollout.broker_streams.kind.ownership import active, owners, subtopologies, tasks
from holdfast.rollout.broker_streams.plan.plan import Considered
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT, StreamsGroupSnapshot, StreamThread, without_disks
from holdfast.rollout.broker_streams.target.target import decide
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.disks.rows import row_of
from holdfast.rollout.json.fingerprints import fingerprint

Row = dict[str, object]


def decoded(snapshot: StreamsGroupSnapshot) -> Row:
    found = subtopologies(snapshot)
    stateful = frozenset(one.id for one in found or () if one.stateful)
    return {
        "group": _group(snapshot, found),
        "clients": [_client(one, stateful) for one in processes(snapshot)],
        "members": [_member(one, stateful) for one in snapshot.members],
        "tasks": _tasks(snapshot, found or ()),
        "partitions": [],
        "state_directories": [row_of(one) for one in snapshot.state_directories],
    }


def _group(snapshot: StreamsGroupSnapshot, found: tuple[Subtopology, ...] | None) -> Row:
    clients = processes(snapshot)
    standbys = str(dict(snapshot.config).get(STANDBYS, ""))
    return {
        "protocol": snapshot.protocol,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.broker_release,
        "clients": len(clients),
        "threads": len(snapshot.members),
        "threads_alike": len({len(client.members) for client in clients}) <= 1,
        "tasks": None if found is None else sum(one.tasks for one in found),
        "stateful_tasks": None if found is None else sum(one.tasks for one in found if one.stateful),
        "standbys": int(standbys) if standbys.isascii() and standbys.isdigit() else None,
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": fingerprint(relied_on(snapshot)),
        "members": len(snapshot.members),
        "generation": snapshot.group_epoch,
    }


def relied_on(snapshot: StreamsGroupSnapshot) -> Row:
    """What a target depends on: all but the time, the offsets, and what describes the group only."""
    document = SNAPSHOT.write(without_disks(snapshot))
    return {name: document[name] for name in ("broker_release", "config", "topology", "topics", "members")}


def _client(client: Process, stateful: frozenset[str]) -> Row:
    first = client.members[0]
    return {
        "process_id": client.process_id,
        "host": client.host,
        "rack": first.rack,
        "client_tags": [f"{key}={value}" for key, value in first.client_tags],
        "threads": len(client.members),
        "active_stateful": sum(_running(one, stateful) for one in client.members),
        "other_copies": sum(_copies(one) for one in client.members),
    }


def held(snapshot: StreamsGroupSnapshot) -> tuple[Held, ...]:
    """In the broker's order."""
    stateful = frozenset(one.id for one in subtopologies(snapshot) or () if one.stateful)
    return tuple(
        Held(
            one.name,
            one.host or "",
            sum(_running(thread, stateful) for thread in one.members),
            sum(_copies(thread) for thread in one.members),
        )
        for one in processes(snapshot)
    )


def _member(member: StreamThread, stateful: frozenset[str]) -> Row:
    return {
        "process_id": member.process_id,
        "member_id": member.member_id,
        "client_id": member.client_id,
        "group_instance_id": member.instance_id,
        "active_stateful": _running(member, stateful),
        "other_copies": _copies(member),
        "host": member.host,
        "rack": member.rack,
    }


def _running(member: StreamThread, stateful: frozenset[str]) -> int:
    return sum(task.subtopology in stateful for task in active(member))


def _copies(member: StreamThread) -> int:
    return 0 if member.assignment is None else sum(1 for _ in each_task(member.assignment.standby))


def _tasks(snapshot: StreamsGroupSnapshot, found: tuple[Subtopology, ...]) -> list[Row]:
    running = owners(snapshot)
    return [
        {
            "task_id": str(task),
            "subtopology": int(task.subtopology) if task.subtopology.isascii() and task.subtopology.isdigit() else None,
            "partition": task.partition,
            "stateful": stateful,
            "owner": _process(running.get(task)),
        }
        for task, stateful in tasks(found)
    ]


def _process(member: StreamThread | None) -> str | None:
    return None if member is None else member.process_id


def targets(snapshot: StreamsGroupSnapshot) -> list[Row]:
    """Where each stateful task would go if the group's epoch increased now, and whose it is. Raise what `decide` raises."""
    found = subtopologies(snapshot)
    if found is None:
        raise CannotPredict(f"the topology of the group is not ready or unknown (the group is {snapshot.group_state})")
    running = owners(snapshot)
    members = {one.member_id: one for one in snapshot.members}
    going: dict[Task, StreamThread] = {}
    for one in decide(snapshot).members:
        going |= dict.fromkeys(each_task(one.active), members[one.member_id])
    pairs = [(task, _process(running.get(task)), _process(going.get(task))) for task, stateful in tasks(found) if stateful]
    return [{"task_id": str(task), "owner": now, "target": then, "will_move": now != then} for task, now, then in pairs]


def option(one: Considered) -> Row:
    """The columns of the table of options that this kind fills. There is one outcome."""
    if one.summary is None:
        return {}
    ends = None if one.times is None else one.times.rebalancing_ends
    return {
        "moved": one.summary.active_moved,
        "expected_moved": float(one.summary.active_moved),
        "needless": None if one.hand_over is None else one.hand_over.collateral,
        "rebalances_most": one.summary.targets,
        "hours_most": None if ends is None else ends.high / 3600,
    }
