"""Who may have a run of Holdfast's DAGs do something for a group, and who may decide about its plans.

A task knows the requester by the name that Airflow has recorded with the run, and no roles: Airflow gives a task no more. So what
counts here are the names in the teams' members, and the IDs of their approvers. Nothing of it is taken from the run's parameters.
"""

from typing import TYPE_CHECKING

from holdfast.airflow_wiring.airflow_objects import TEAMS_VARIABLE
from holdfast.airflow_wiring.teams.document import teams
from holdfast.errors import InvalidInput, StepRefused

if TYPE_CHECKING:
    from holdfast.rollout.group.values import AnyPlan
    from holdfast.rollout.journal.journal import Approval
    from holdfast.rollout.teams.teams import Team


class NotTheirs(InvalidInput):
    """A run was triggered for a group that is not of the requester's teams. It says the same whether or not there is the group."""


class OfAnotherTeam(StepRefused):
    """A decision that does not count for the team that the group belongs to now."""


def refuse_requester(cluster: str, group_id: str, user: str | None, called: str = "") -> None:
    """Raise NotTheirs unless this user requests and applies plans for the group. `user` None: no user triggered the run.
    `called`: what the message calls the group, where the user did not name it; nothing: its names."""
    from holdfast.rollout.teams.sight import may_request
    from holdfast.rollout.text.format import printable

    known = teams()
    if known is None:
        return
    if user is None:
        raise NotTheirs(
            f"no user triggered this run, and the deployment has teams ({TEAMS_VARIABLE}): trigger it as a member of the group's"
            " team"
        )
    if not may_request(known, cluster, group_id, user):
        group = called or f"group {printable(group_id)} of cluster {printable(cluster)}"
        raise NotTheirs(
            f"user {printable(user)} is not a member, by name, of the team that {group} belongs to, or no team has it"
            f" ({TEAMS_VARIABLE}): have a member trigger the run, or an administrator add the user's name or the group"
        )


def needs_four_eyes(cluster: str, group_id: str) -> bool:
    """Whether the group's team wants another approver than the requester, whatever a policy says."""
    known = teams()
    team = None if known is None else known.of(cluster, group_id)
    return team is not None and team.four_eyes


def team_of(plan: "AnyPlan") -> "Team | None":
    """The team that the plan's group belongs to now. None: there are no teams. Raise OfAnotherTeam where no team has the group."""
    from holdfast.rollout.text.format import printable

    known = teams()
    if known is None:
        return None
    team = known.of(plan.basis.cluster, plan.basis.group_id)
    if team is None:
        raise OfAnotherTeam(
            f"Group {printable(plan.basis.group_id)} of cluster {printable(plan.basis.cluster)} belongs to no team"
            f" ({TEAMS_VARIABLE}), so no user can approve plan {plan.plan_id} or have it applied. Add the group to a team"
        )
    return team


def refuse_decision(plan: "AnyPlan", approval: "Approval") -> None:
    """Raise OfAnotherTeam where an approval is not one of the team that the group belongs to now: the teams have changed since the
    plan was made."""
    from holdfast.rollout.text.format import printable

    team = team_of(plan) if approval.approved else None
    if team is None:
        return
    if approval.by_id not in team.approvers:
        raise OfAnotherTeam(
            f"{printable(approval.by)} is not an approver of team {printable(team.name)}, which the group of plan {plan.plan_id}"
            " belongs to now: the plan can only be rejected. Create a new plan"
        )
    if team.four_eyes and not plan.policy.four_eyes:
        raise OfAnotherTeam(
            f"Team {printable(team.name)}, which the group of plan {plan.plan_id} belongs to now, requires four eyes, and the plan"
            " was created without: it can only be rejected. Create a new plan"
        )
