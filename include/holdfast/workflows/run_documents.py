"""What a run of `plan_rollout` keeps in the lake: its draft, the plan that it made, who was asked, and why there is no plan.

`origin.json`, `plan.json` and `asked.json` are in `drafts/<run>/`, signed with the deployment's key; each also names its run.
`failure.json` is there, and `run.json` next to the plan, both without a signature: they decide nothing.
"""

from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, choice, items, nullable, table
from holdfast.rollout.json.record import member, record
from holdfast.rollout.policy.policy import Review

VERSION = "1.0"


@record(closed=False, version=VERSION)
class Origin:
    """Where the draft of a run comes from. `documents`: the digest of each document next to it, by name. `recorded`: the snapshot
    was given; otherwise it was collected by the run."""

    snapshot: str = member(TEXT)
    recorded: bool = member(BOOLEAN)
    at: str = member(INSTANT)
    review: Review = member(choice(Review))
    requested_by: str = member(TEXT)
    documents: tuple[tuple[str, str], ...] = member(table(NAME, TEXT))


@record(closed=False, version=VERSION)
class PlanMade:
    """The one plan of a run, and the fingerprint of its bytes."""

    plan_id: str = member(NAME)
    fingerprint: str = member(NAME)


@record(closed=False, version=VERSION)
class Asked:
    """The IDs of those who may answer; none: all who may trigger the DAG."""

    approvers: tuple[str, ...] = member(items(NAME))


@record
class Failure:
    """`message` None: no refusal of Holdfast's; the task's log says what it was."""

    task: str = member(TEXT)
    message: str | None = member(nullable(TEXT))
    at: str = member(INSTANT)


@record(closed=False, version=VERSION)
class MadeBy:
    """Which run made a plan, and so asks for its approval."""

    run_id: str = member(TEXT)
