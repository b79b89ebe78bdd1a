"""The move of a classic group to the protocol with which its broker assigns: its Snapshot and Change as those of the group that it
becomes.

Kinds of group do not know each other. What is asked of a classic group (`move_to_streams_protocol`, `convert_consumer`) is answered
by the kind whose coordinator decides: the forecast, the options, the plan and the verdict are those of that kind of group.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.coordinator.config_keys import STANDBYS
from holdfast.kafka.streams.group import Changelog
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.events.set_group_protocol import SetGroupProtocol
from holdfast.rollout.broker_streams.events.start_moved_client import StartMovedClient
from holdfast.rollout.broker_streams.events.stop_classic_clients import StopClassicClients
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.facts import moves
from holdfast.rollout.facts.moves import Prevention, Prevents
from holdfast.rollout.group.values import AnyChange, AnyPlan, AnySnapshot
from holdfast.rollout.json.strict import refuse
from holdfast.rollout.kinds.moving.as_consumer_group import as_consumer_group, converted
from holdfast.rollout.kinds.moving.as_streams_group import as_streams_group, moving
from holdfast.rollout.kinds.moving.prevented import standbys_of
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def followed(snapshot: AnySnapshot, change: AnyChange) -> tuple[AnySnapshot, AnyChange]:
    """The same where the group stays of its kind. A move: the group and the change as the other kind has them.

    Raise InvalidInput for a move with other events, or with clients that the group does not have; CannotPredict.
    """
    if not kind_of(snapshot).leaves(change):
        return snapshot, change
    return _moved(snapshot, change)


def refuse_prevented(snapshot: AnySnapshot, change: AnyChange) -> None:
    """Raise InvalidInput, by the fields of a form, for a move that clients or brokers refuse, that ignores what the application
    uses, or of which the snapshot shows too little. Of a Change document a plan says so, which is blocked."""
    try:
        group: Any = followed(snapshot, change)[0]
    except CannotPredict as why:
        raise InvalidInput(str(why), "what") from None
    classic = None if group is snapshot else getattr(group, "classic", None)
    prevents: tuple[Prevention, ...] = getattr(classic, "prevents", ())
    fields = {
        where: [one for one in prevents if _FIELDS.get(one.kind, "what") == where]
        for where in ("broker_release", "kafka_release", "what")
    }
    refuse(InvalidInput(f"the group cannot move: {moves.sentences(found)}", where) for where, found in fields.items() if found)


_FIELDS = {
    Prevents.BROKER_TOO_OLD: "broker_release",
    Prevents.BROKER_LOSES_GROUP: "broker_release",
    Prevents.CLIENT_TOO_OLD: "kafka_release",
}


def _moved(snapshot: Any, change: Any) -> tuple[AnySnapshot, AnyChange]:
    if any(isinstance(item, ConvertConsumer) for item in change.events):
        return converted(snapshot, change)
    found = [(index, item) for index, item in enumerate(change.events) if isinstance(item, MoveToStreamsProtocol)]
    ((index, event), *more) = found
    others = [number for number, item in enumerate(change.events) if not isinstance(item, Then) and number != index]
    if more or others:
        raise InvalidInput(
            "after move_to_streams_protocol the group is of another kind: it is the only event of its change. Make the others"
            " changes of their own, before it or after it",
            f"events[{others[0]}]",
        )
    try:
        group = moving(snapshot, event)
        return group, BrokerChange(tuple(_events(snapshot, event, group)))
    except InvalidInput as problem:
        raise InvalidInput(problem.problem, f"events[{index}].{event.VERB}.{problem.where}") from None


def _events(snapshot: Snapshot, event: MoveToStreamsProtocol, group: StreamsGroupSnapshot) -> Iterator[BrokerItem]:
    """Clients keep the standbys that they have, unless the request says otherwise: as a config of the group."""
    there = {one.process_id for one in snapshot.clients}
    named = {
        "new_process_ids": [one for one, _ in event.new_process_ids],
        "member_ids": [one for one, _ in event.member_ids],
        "late": list(event.late),
    }
    for where, process_ids in named.items():
        for process_id in process_ids:
            if process_id not in there:
                raise InvalidInput(f"{process_id} is no client of the group", where)
    standbys, config = standbys_of(snapshot), dict(event.config)
    if standbys and STANDBYS not in config:
        config[STANDBYS] = standbys
    if config:
        yield SetConfig.codec().read(config)
    clients = tuple(str(one.process_id) for one in snapshot.clients)
    yield SetGroupProtocol(clients)
    yield StopClassicClients(clients)
    new, members = dict(event.new_process_ids), dict(event.member_ids)
    kept = group.classic is not None and group.classic.keeps_process_ids
    late = [one for process_id in dict.fromkeys(event.late) for one in snapshot.clients if one.process_id == process_id]
    for client in (*(one for one in snapshot.clients if one not in late), *late):
        if client in late:
            yield Then(Wait.REBALANCE)
        other: ProcessId | None = new.get(client.process_id)
        yield StartMovedClient(
            process_id=str(client.process_id),
            keeps_process_id=kept and other is None,
            new_process_id=None if other is None else str(other),
            threads=len(client.consumers),
            member_ids=members.get(client.process_id),
        )


def seen_for(plan: AnyPlan, fresh: AnySnapshot) -> AnySnapshot:
    """A new snapshot as the plan's kind sees the group. Of a move: while the group is classic, as the plan's own snapshot."""
    kind = kind_of(plan)
    if not kind.comes_from_another(plan) or kind_of(fresh) is kind:
        return fresh
    return _seen(plan, fresh, stateful=kind.stateful)


def _seen(plan: Any, fresh: Any, *, stateful: bool) -> AnySnapshot:
    return _seen_streams(plan, fresh) if stateful else replace(as_consumer_group(fresh), assignor=plan.basis.assignor)


def _seen_streams(plan: Any, fresh: Any) -> StreamsGroupSnapshot:
    basis: StreamsGroupSnapshot = plan.basis
    assert basis.classic is not None, "it was classic"
    found = as_streams_group(_with_changelogs(fresh, basis), basis.classic, basis.broker_release)
    if found.members:
        return found
    return replace(found, topology=basis.topology, topics=basis.topics)  # an empty group shows none


def _with_changelogs(fresh: Any, basis: StreamsGroupSnapshot) -> Any:
    """Which tasks are stateful, a look at the brokers alone may not show; the plan has it."""
    subtopologies = () if basis.topology is None else basis.topology.subtopologies
    known = {one.subtopology: one.changelog_topics for one in subtopologies}

    def whole(task: Any) -> Any:
        if task.changelogs is not None:
            return task
        topics = known.get(str(task.id.subtopology), ())
        return replace(task, changelogs=tuple(Changelog(topic, task.id.partition, None) for topic in topics))

    return replace(fresh, tasks=tuple(map(whole, fresh.tasks)))
