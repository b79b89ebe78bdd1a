"""What a Change most likely means where it is silent: the assumptions of a Plan. A Forecast uses its contract's defaults.

Kafka Streams does not leave its group when it is closed, and static members that restart are usually back in time. Both are written
into the Change that each option of a Plan has, so that nothing is hidden.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.scene.static_members import all_static, is_static
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def as_usual(snapshot: Snapshot, change: Change) -> Change:
    """The same change, with the usual values where none are given."""
    return replace(change, events=tuple(_items(snapshot, change.events)))


def _items(snapshot: Snapshot, events: Iterable[Item]) -> Iterator[Item]:
    calm = True
    """Whether nothing can be pending: what returns in the middle of a rebalance is not modelled."""
    loud = False
    for item in events:
        match item:
            case RemoveClient(leaves=None):
                loud = True
                yield replace(item, leaves=False)
            case RestartClient(within_session=None, late=False) if calm and _returns(snapshot, item):
                yield replace(item, within_session=True)
            case RollingRestart(within_session=None, late=False, kafka_release=None) if calm and _all_return(snapshot, item):
                yield replace(item, within_session=True)
            case Then(wait):
                calm = calm if wait is Wait.REBALANCE and not loud else wait is Wait.STABLE
                loud = False
                yield item
            case _:
                loud = True
                yield item


def _returns(snapshot: Snapshot, restart: RestartClient) -> bool:
    client = snapshot.client(restart.process_id)
    return client is not None and is_static(client) and restart.threads is None and restart.member_ids is None


def _all_return(snapshot: Snapshot, rolling: RollingRestart) -> bool:
    chosen: tuple[ProcessId, ...] | None = rolling.process_ids
    return all_static(one for one in snapshot.clients if chosen is None or one.process_id in chosen)
