"""A change that replaces one client, as two targets: the old client and the new one apart."""

from dataclasses import replace

from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.add_client import AddClient
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.events.replace_client import ReplaceClient
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.requests import Disk


def is_one(change: BrokerChange) -> bool:
    return _replaced(change) is not None


def _replaced(change: BrokerChange) -> ReplaceClient | None:
    """The replacement that the change consists of. None: it consists of something else."""
    match change.statements():
        case (ReplaceClient() as one,):
            return one
        case _:
            return None


def _parted(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> tuple[RemoveClient, AddClient] | None:
    """None: what the new client has on its disk would be lost from sight, or both have one process ID."""
    one = _replaced(change)
    if one is None or one.state.disk is not Disk.EMPTY or one.by.process_id == one.process_id:
        return None
    threads = one.by.threads or len(one.by.member_ids or ())
    threads = threads or sum(each.process_id == one.process_id for each in snapshot.members) or 1
    return RemoveClient(one.process_id), AddClient(replace(one.by, threads=threads))


def old_first(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> BrokerChange | None:
    both = _parted(snapshot, change)
    return None if both is None else BrokerChange((both[0], Then(Wait.STABLE), both[1]))


def new_first(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> BrokerChange | None:
    both = _parted(snapshot, change)
    return None if both is None else BrokerChange((both[1], Then(Wait.STABLE), both[0]))
