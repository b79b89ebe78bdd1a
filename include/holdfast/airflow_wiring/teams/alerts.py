"""Which alerts about the fleet go to which team: those about the groups of a team with notifiers of its own go there alone.

What is about no group, such as a host that several groups share, and what is about groups of no team, stays in the general channel.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.rollout.tables.fleet_findings import Finding, Findings
    from holdfast.rollout.teams.teams import Notifier, Teams

GENERAL = ""
"""The channel of the variable `holdfast_notifiers`: no team has an empty name."""


def of(findings: "Findings", known: "Teams | None") -> Mapping[str, Sequence[str]]:
    """The sentences of each channel."""
    from holdfast.rollout.tables import fleet_findings

    if known is None:
        return {GENERAL: fleet_findings.alerts(findings)}

    def belongs(channel: str) -> "Callable[[Finding], bool]":
        return lambda row: _channel(row, known) == channel

    channels = [GENERAL, *(team.name for team in known.teams if team.notifiers is not None)]
    return {one: fleet_findings.alerts(findings, belongs(one)) for one in channels}


def _channel(row: "Finding", known: "Teams") -> str:
    team = known.of(str(row["cluster"]), str(row["group_id"])) if "group_id" in row else None
    return GENERAL if team is None or team.notifiers is None else team.name


def notifiers_of(channel: str, known: "Teams | None") -> "tuple[Notifier, ...] | None":
    """None: those of the variable."""
    if channel == GENERAL:
        return None
    found = () if known is None else (team.notifiers for team in known.teams if team.name == channel)
    return next(iter(found), None) or ()
