"""What a verification finds different from the forecast, as values: the same for every kind of group."""

from enum import StrEnum

from holdfast.rollout.facts.step_sightings import SEEN, Seen
from holdfast.rollout.json.codec import COUNT, NAMES, TEXT, choice, items, nullable
from holdfast.rollout.json.record import codec_of, member, record


class Differs(StrEnum):
    """What differs.

    `STATE`: the group is in another state than Stable. `STEP`: a step is contradicted or not shown. `STRANGERS`: clients with
    process IDs of their own. `CLIENTS`: those of the forecast are not all there yet. `OWNER`, `STANDBYS`, `READER`: who has a task,
    its standby copies, a partition. `REBALANCES`: how many there were. `CONSUMERS`: those of the change have not all joined, or
    others have. `LEFT`: consumers outside the change have left. `INSTANCE_IDS`: static consumers came under others. `TARGET`:
    tasks of a target of a group whose broker assigns.
    """

    STATE = "state"
    STEP = "step"
    STRANGERS = "strangers"
    CLIENTS = "clients"
    OWNER = "owner"
    STANDBYS = "standbys"
    READER = "reader"
    REBALANCES = "rebalances"
    CONSUMERS = "consumers"
    LEFT = "left"
    INSTANCE_IDS = "instance_ids"
    TARGET = "target"


@record
class Difference:
    """`of`: the task, partition, step or state that it is about. `expected` and `found`: IDs. `count`: how many there are, `least`
    and `most`: how many were forecast. `status`, and `seen` or else `evidence`: of a step, as
    `Evidence` has them."""

    kind: Differs = member(choice(Differs))
    of: str | None = member(nullable(TEXT), default=None, omit=True)
    expected: tuple[str, ...] = member(NAMES, default=(), omit=True)
    found: tuple[str, ...] = member(NAMES, default=(), omit=True)
    count: int | None = member(nullable(COUNT), default=None, omit=True)
    least: int | None = member(nullable(COUNT), default=None, omit=True)
    most: int | None = member(nullable(COUNT), default=None, omit=True)
    status: str | None = member(nullable(TEXT), default=None, omit=True)
    evidence: str | None = member(nullable(TEXT), default=None, omit=True)
    seen: Seen | None = member(nullable(SEEN), default=None, omit=True)


DIFFERENCES = items(codec_of(Difference))
