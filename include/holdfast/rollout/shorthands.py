"""Shorthands of a Change written out as the events that they stand for, once it is known who is in the group then."""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.change import Change, Item, RestartClient, RollingRestart, SetConfig, SetRelease, Then
from holdfast.rollout.presence import Present, come_and_go
from holdfast.rollout.snapshot import Snapshot

MOST_WRITTEN_OUT = 50_000
"""Events that a change may have once its shorthands are written out."""


def written_out(snapshot: Snapshot, change: Change, *, roll_outs: bool = True) -> Change:
    """The same change without shorthands; one that has none is returned as it is.

    A rolling restart of everybody stays while somebody is in the group whose process ID is left to chance: who that is differs from
    outcome to outcome. Without `roll_outs` those stay too that roll out a setting or a release.

    Raise InvalidInput for a shorthand that does not fit the group.
    """
    if not any(isinstance(item, RollingRestart) for item in change.events):
        return change
    there = Present(client.process_id for client in snapshot.clients)
    items: list[Item] = []
    for index, item in enumerate(change.events):
        written: tuple[Item, ...] = (item,)
        if isinstance(item, RollingRestart):
            try:
                written = _written(item, there, roll_outs=roll_outs)
            except InvalidInput as problem:
                raise InvalidInput(problem.problem, f"events[{index}].rolling_restart.{problem.where}") from None
        for one in written:
            if not isinstance(one, RollingRestart | Then):
                come_and_go(one, there)
        items += written
        if len(items) > MOST_WRITTEN_OUT:
            raise InvalidInput(
                f"more than {MOST_WRITTEN_OUT:,} restarts would follow; restart fewer clients, or more of them at once",
                f"events[{index}]",
            )
        if isinstance(item, RollingRestart) and index + 1 < len(change.events):
            items.append(Then(item.wait))
    return replace(change, events=tuple(items))


def _written(rolling: RollingRestart, there: Present, *, roll_outs: bool) -> tuple[Item, ...]:
    if rolling.process_ids is None and None in there:
        if not rolling.keeps_process_id:
            raise InvalidInput(
                "a client whose process ID is left to chance cannot lose it again in the same change; say which clients restart",
                "process_ids",
            )
        return (rolling,)
    if rolling.rolls_out and not roll_outs:
        return (rolling,)
    return tuple(_restarts(rolling, there))


def _restarts(rolling: RollingRestart, there: Present) -> Iterator[Item]:
    present = sorted(one for one in there if one is not None)
    if rolling.process_ids is None and not present:
        raise InvalidInput("the group has no client to restart", "process_ids")
    chosen = present if rolling.process_ids is None else list(rolling.process_ids)
    for number, process_id in enumerate(chosen):
        if number and number % rolling.at_once == 0:
            yield Then(rolling.wait)
        yield RestartClient(
            process_id,
            keeps_process_id=rolling.keeps_process_id,
            keeps_state=rolling.keeps_state,
            within_session=rolling.within_session,
            late=rolling.late,
        )
    if rolling.settings:
        yield SetConfig(rolling.settings)
    if rolling.kafka_release is not None:
        yield SetRelease(rolling.kafka_release)
