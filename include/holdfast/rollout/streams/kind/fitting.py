"""Whether a change fits a Kafka Streams group: its settings, and its events one after the other."""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def refuse_misfit(snapshot: Snapshot, change: Change) -> None:
    """Raise InvalidInput for a change that does not fit the group, with the path of the event."""
    _refuse_settings(snapshot, change)
    proposals.refuse_misfit(snapshot, _one_for_all(snapshot, change))


def _one_for_all(snapshot: Snapshot, change: Change) -> Change:
    """Nothing but a rolling restart of clients that are there: if it fits one, it fits all, and a thousand take seconds."""
    if len(change.events) != 1 or not isinstance(rolling := change.events[0], RollingRestart) or not snapshot.clients:
        return change
    present = tuple(client.process_id for client in snapshot.clients)
    chosen = present if rolling.process_ids is None else rolling.process_ids
    if not (rolling.keeps_process_id and rolling.keeps_state) or rolling.within_session or not set(chosen) <= set(present):
        return change
    return replace(change, events=(replace(rolling, process_ids=chosen[:1]),))


def _refuse_settings(snapshot: Snapshot, change: Change) -> None:
    for index, item in enumerate(change.events):
        given = {} if isinstance(item, Then) else {key: value for key, value in item.settings_set() if value is not None}
        if given:
            try:
                config_check.check(snapshot.kafka_release or RELEASES[-1], given)
            except InvalidInput as problem:
                raise InvalidInput(str(problem), f"events[{index}]") from None
