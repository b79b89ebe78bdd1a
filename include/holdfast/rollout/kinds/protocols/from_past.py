"""From a Snapshot, and the past of its group as the lake keeps it, to the comparison of its protocols."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json import strict
from holdfast.rollout.kinds.protocols import compare as comparing
from holdfast.rollout.kinds.protocols import table
from holdfast.rollout.kinds.protocols.comparison import DeployKind, ProtocolComparison
from holdfast.rollout.kinds.protocols.deploys import counted, deploys
from holdfast.rollout.policy.policy import Policy

Bytes = tuple[str, bytes]
"""A name for messages, and the content."""
MOST_BYTES = past_file.MOST_BYTES + 8 * 1024**2
"""Of a file in past/: its records, and the line before them."""


def compare(
    snapshot: Any,
    given: Mapping[DeployKind, float],
    past: Bytes | None,
    policy: Policy,
    seed: int,
    times: int,
    tell: Callable[[str], object],
) -> ProtocolComparison:
    """`given`: deploys a month. `past`: the group's file in past/ of the lake; None: of a Streams group what its Snapshot has.
    Raise InvalidInput for a file that is none of this group's, else as `comparing.compare`."""
    seen = table.comparable(snapshot).seen(snapshot, None if past is None else _read(snapshot, *past))
    return comparing.compare(snapshot, deploys(given, counted(seen)), policy, seed, times, tell)


def _read(group: AnySnapshot, name: str, content: bytes) -> tuple[Generation, ...]:
    try:
        header, entries, _ = past_file.read(content)
    except InvalidInput as problem:
        raise problem.within(name) from None
    if header.group_id != group.group_id:
        found = f"{strict.shown(header.group_id)} was found, and the snapshot is of {strict.shown(group.group_id)}"
        raise InvalidInput(f"the past of the same group is needed; that of {found}", name)
    return tuple(one for one in entries() if isinstance(one, Generation))
