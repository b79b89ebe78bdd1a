"""What the pages show of a kind of group: the interface behind `registry.py`.

It is not part of `GroupKind`: charts and tables of pages are no concern of `rollout`. A kind need not override anything: what it
leaves is shown from what every `GroupKind` has.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from holdfast.rollout.contract.times import Times
from holdfast.rollout.kinds.registry import kind_of
from holdfast.web.parts import plan_view
from holdfast.web.parts.plan_view import PlanView


@dataclass(frozen=True, slots=True)
class MemberTable:
    """The members of a group on its page. `name`: what they are called, in the plural; `template`: what lays out `rows`."""

    name: str
    title: str
    about: str
    template: str
    rows: tuple[Any, ...]


class KindPages:
    """The pages of one kind of group. Plans and snapshots are values of that kind."""

    kind: ClassVar[str] = ""
    """The name of the `GroupKind`."""
    order: ClassVar[str] = "member-ID order"
    """The order in which Kafka assigns."""
    same_id: ClassVar[str] = "the replacement keeps the ID"
    new_id: ClassVar[str] = "the replacement generates one, at the most likely rank and at the worst rank in the order of IDs"
    """What the two scenarios of a host's loss mean."""
    by_step: ClassVar[bool] = True
    """Whether the phases of a forecast time are in the order of the steps."""

    def plan(self, plan: Any, now: datetime) -> PlanView:
        return plan_view.plan_view(plan, now)

    def times(self, plan: Any) -> Times | None:  # noqa: ARG002 - most kinds know more
        """The forecast time of the recommended option, its phases in the order of the steps where `by_step`. None: unknown."""
        return None

    def restores(self, plan: Any) -> int | None:  # noqa: ARG002 - most kinds know more
        """How many records the forecast has restored in all. None: unknown, or nothing keeps state."""
        return None

    def members(self, snapshot: Any) -> MemberTable:
        return MemberTable("Hosts", "Hosts", "Each host with its members.", "members/hosts.html", kind_of(snapshot).hosts(snapshot))
