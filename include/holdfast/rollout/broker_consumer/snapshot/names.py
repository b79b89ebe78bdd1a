"""What the consumers of a group are called: the instance ID, else the host where it distinguishes them, else the first characters
of the member ID."""

from collections.abc import Callable

from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.text.format import printable


def named(snapshot: BrokerConsumerSnapshot) -> Callable[[str], str]:
    """By member ID; one that the group does not have is named by its ID."""
    members = {one.member_id: one for one in snapshot.members}
    known = [one.host for one in snapshot.members]

    def name(member_id: str) -> str:
        one = members.get(member_id)
        if one is not None and one.instance_id is not None:
            return printable(one.instance_id, 40)
        host = None if one is None else one.host
        return printable(host, 40) if host and known.count(host) == 1 else printable(member_id[:8])

    return name
