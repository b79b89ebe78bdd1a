"""What differs between two snapshots of a Kafka Streams group, or two plans for one."""

from collections.abc import Callable, Iterator

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.group.difference import NOTHING, Line, facts, magnitude, maps, setting
from holdfast.rollout.streams.cost.times_of_costs import stated, times_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.evidence import Evidence
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.format import many
from holdfast.rollout.timing import time_words


def snapshot_lines(before: Snapshot, after: Snapshot) -> Iterator[Line]:
    yield from _order_lines(before, after)
    yield from facts(
        "group",
        {
            "state": (before.group_state, after.group_state),
            "protocol": (before.protocol, after.protocol),
            "Kafka Streams release": (before.kafka_release, after.kafka_release),
            "task assignor": (before.task_assignor, after.task_assignor),
            "leader": (before.leader_process_id, after.leader_process_id),
        },
    )
    yield from maps("client", _by_id(before, _client), _by_id(after, _client))
    yield from maps("threads", _by_id(before, _threads), _by_id(after, _threads), both=True)
    yield from maps("members", _by_id(before, _members), _by_id(after, _members), both=True)
    yield from maps("owner", _owners(before), _owners(after))
    yield from maps("task", _tasks(before), _tasks(after))
    yield from maps("setting", dict(before.config), dict(after.config), show=setting)
    yield from maps("topic", _topics(before), _topics(after))
    yield from _lags(before, after)
    yield from _evidence(before, after)


def _order_lines(before: Snapshot, after: Snapshot) -> Iterator[Line]:
    """The order of process IDs first: it decides who gets what."""
    try:
        changed = order.order_changes(before, after)
    except (CannotPredict, InvalidInput, Unsupported):  # the IDs can be compared even where the assignment is unknown
        ids = tuple(tuple(sorted(client.process_id for client in one.clients)) for one in (before, after))
        yield from facts("process-ID order", {"in Kafka's order": (_ids(ids[0]), _ids(ids[1]))})
        return
    if changed.before != changed.after:
        yield Line("process-ID order", "in Kafka's order", _ids(changed.before), _ids(changed.after))
        if changed.moved:
            yield Line("process-ID order", "stateful tasks dealt to another client", "0", str(len(changed.moved)))
        if changed.moved_between_survivors:
            what = "of them between clients that stayed"
            yield Line("process-ID order", what, "0", str(len(changed.moved_between_survivors)))


def _ids(ids: tuple[object, ...]) -> str:
    return " ".join(str(one) for one in ids) or NOTHING


def _by_id(snapshot: Snapshot, say: Callable[[Client], str]) -> dict[str, str]:
    return {str(client.process_id): say(client) for client in sorted(snapshot.clients, key=lambda one: one.process_id)}


def _client(client: Client) -> str:
    tags = ",".join(f"{key}={value}" for key, value in sorted(client.client_tags))
    parts = (("", client.host or "host unknown"), ("rack ", client.rack), ("tags ", tags), ("endpoint ", client.user_endpoint))
    return ", ".join(f"{label}{value}" for label, value in parts if value)


def _threads(client: Client) -> str:
    return str(len(client.consumers))


def _members(client: Client) -> str:
    return " ".join(sorted(consumer.member_id for consumer in client.consumers))


def _owners(snapshot: Snapshot) -> dict[str, str]:
    owned = dict(ownership.owners(snapshot))
    return {str(task.id): str(owned.get(task.id, "nobody")) for task in snapshot.tasks}


def _tasks(snapshot: Snapshot) -> dict[str, str]:
    """Without end offsets, which are lags' business."""
    found = {}
    for task in snapshot.tasks:
        logs = None if task.changelogs is None else " ".join(f"{one.topic}-{one.partition}" for one in task.changelogs)
        state = "state unknown" if logs is None else f"changelogs {logs}" if logs else "stateless"
        found[str(task.id)] = f"{' '.join(f'{one.topic}-{one.partition}' for one in task.partitions) or 'no partitions'}; {state}"
    return found


def _topics(snapshot: Snapshot) -> dict[str, str]:
    found = {}
    for topic in snapshot.topics:
        racks = [
            f"{one.id}: {','.join(rack or '-' for rack in one.replica_racks)}" for one in topic.partitions if one.replica_racks
        ]
        where = f", racks {'; '.join(racks)}" if racks else ""
        found[topic.name] = many(len(topic.partitions), "partition") + where
    return found


def _lags(before: Snapshot, after: Snapshot) -> Iterator[Line]:
    """In all, as magnitudes: records written to the changelogs meanwhile, and how far copies that do not run are behind."""
    then, now = _end_offsets(before), _end_offsets(after)
    grown = sum(end - then[log] for log, end in now.items() if log in then)
    if grown:
        yield Line("lags", "end offsets of changelogs, together", f"{sum(then.values()):,}", f"{sum(now.values()):,} ({grown:+,})")
    was, found = _behind(before), _behind(after)
    for client in sorted({**was, **found}):
        if was.get(client) != found.get(client):
            yield Line("lags", f"copies on {client} behind by", magnitude(was.get(client)), magnitude(found.get(client)))


def _end_offsets(snapshot: Snapshot) -> dict[tuple[str, int], int]:
    return {
        (one.topic, one.partition): one.end_offset
        for task in snapshot.tasks
        for one in task.changelogs or ()
        if one.end_offset is not None
    }


def _behind(snapshot: Snapshot) -> dict[str, int]:
    ends: dict[TaskId, int] = {task.id: task.end_offset_sum or 0 for task in snapshot.tasks}
    return {
        str(client.process_id): sum(
            max(0, ends[task] - total)
            for consumer in client.consumers
            for task, total in consumer.task_offset_sums
            if total >= 0 and task in ends
        )
        for client in snapshot.clients
    }


def _evidence(before: Snapshot, after: Snapshot) -> Iterator[Line]:
    was, found = ({one.member_id: one for one in snapshot.evidence} for snapshot in (before, after))
    yield from maps("evidence", was, found, show=_said)
    dirs = ({one.url: str(one.process_id or "no process ID") for one in snapshot.state_directories} for snapshot in (before, after))
    yield from maps("state directory", next(dirs), next(dirs))
    last = tuple(max((one.number for one in snapshot.generations), default=None) for snapshot in (before, after))
    yield from facts("evidence", {"last recorded generation": last})


def _said(evidence: Evidence) -> str:
    active, standby = (
        "unknown" if tasks is None else " ".join(str(task) for task in tasks) or NOTHING
        for tasks in (evidence.assigned.active, evidence.assigned.standby)
    )
    joined = None if evidence.last_join.task_offset_sums is None else len(evidence.last_join.task_offset_sums)
    return f"assigned {active}; standby {standby}; joined with {'unknown' if joined is None else many(joined, 'task')}"


def plan_lines(before: Plan, after: Plan) -> Iterator[Line]:
    yield from facts("plan", {"why": (before.why, after.why)})
    yield from maps("option", _options(before), _options(after))
    steps = (
        {one.id: f"{type(one.action).__name__} {one.action} by {one.who}: {one.expect}" for one in plan.steps}
        for plan in (before, after)
    )
    yield from maps("step", *steps)
    settings = (
        {one.key: f"{setting(one.value)}, then {setting(one.revert_to)}" for one in plan.settings} for plan in (before, after)
    )
    yield from maps("temporary setting", *settings)
    yield from maps("unknown", *(dict.fromkeys(texts_of(plan.unknown), "") for plan in (before, after)))


def _options(plan: Plan) -> dict[str, str]:
    return {one.name: _figures(plan, one) for one in plan.candidates}


def _figures(plan: Plan, option: Considered) -> str:
    if not option.costs:
        return option.refused or "nothing predicted"
    most = max(option.costs, key=lambda cost: (cost.needless, cost.moved, cost.longest_s, cost.restored_records))
    over = stated(option.costs, plan.policy)
    times = times_of(over, plan.policy)
    return (
        f"{most.moved} of {most.stateful_tasks} tasks move, {most.needless} of them collateral;"
        f" {time_words.rebalances(over.rebalances.low, over.rebalances.high, most.rebalances_usual)}; {time_words.both(times)};"
        f" {time_words.effort(option.effort_counts)};"
        f" {many(most.restored_records, 'record')} restored; {many(most.cold_tasks, 'task')} without a caught-up copy"
    )
