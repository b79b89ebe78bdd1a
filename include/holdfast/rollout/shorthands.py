"""Shorthands of a Change written out as the events that they stand for, once the group is known."""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.change import Change, Item, RestartClient, RollingRestart, Then
from holdfast.rollout.snapshot import Snapshot


def written_out(snapshot: Snapshot, change: Change) -> Change:
    """The same change without shorthands; one that has none is returned as it is.

    Raise InvalidInput for a shorthand that does not fit the group.
    """
    if not any(isinstance(item, RollingRestart) for item in change.events):
        return change
    items: list[Item] = []
    for index, item in enumerate(change.events):
        if isinstance(item, RollingRestart):
            try:
                items += _restarts(snapshot, item)
            except InvalidInput as problem:
                raise InvalidInput(problem.problem, f"events[{index}].rolling_restart.{problem.where}") from None
            if index + 1 < len(change.events):
                items.append(Then(item.wait))
        else:
            items.append(item)
    return replace(change, events=tuple(items))


def _restarts(snapshot: Snapshot, rolling: RollingRestart) -> Iterator[Item]:
    present = sorted(client.process_id for client in snapshot.clients)
    if rolling.process_ids is None and not present:
        raise InvalidInput("the group has no client to restart", "process_ids")
    chosen = present if rolling.process_ids is None else list(rolling.process_ids)
    for number, process_id in enumerate(chosen):
        if number and number % rolling.at_once == 0:
            yield Then(rolling.wait)
        yield RestartClient(process_id, keeps_process_id=rolling.keeps_process_id, keeps_state=rolling.keeps_state)
