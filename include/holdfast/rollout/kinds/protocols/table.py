"""The kinds of group that can be compared, a line each."""

from typing import Any

from holdfast.errors import Unsupported
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.protocols.comparable import Comparable
from holdfast.rollout.kinds.protocols.consumer_groups import ConsumerGroups
from holdfast.rollout.kinds.protocols.streams_groups import StreamsGroups
from holdfast.rollout.kinds.registry import kind_of

COMPARABLE: tuple[Comparable[Any], ...] = (StreamsGroups(), ConsumerGroups())


def can_be_compared(snapshot: AnySnapshot) -> bool:
    """Whether it is a group of the classic protocol."""
    return any(one.protocol == kind_of(snapshot).protocol for one in COMPARABLE)


def comparable(snapshot: AnySnapshot) -> Comparable[Any]:
    """Raise Unsupported for a group whose broker assigns already, CannotPredict for one that is not at rest."""
    kind = kind_of(snapshot)
    found = next((one for one in COMPARABLE if one.protocol == kind.protocol), None)
    if found is None:
        raise Unsupported(f"This is {kind.words.group} of a new protocol already: a group of the classic protocol is needed.")
    found.refuse_unsettled(snapshot)
    return found
