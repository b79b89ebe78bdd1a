"""What a user of Airflow may see, by the teams of the deployment."""

from dataclasses import dataclass

from holdfast.rollout.teams.teams import Members, Team, Teams


@dataclass(frozen=True, slots=True)
class User:
    """A user as Airflow's auth manager has them. `airflow_teams`: of those that the teams name, the ones that they belong to."""

    name: str
    user_id: str
    roles: frozenset[str] = frozenset()
    airflow_teams: frozenset[str] = frozenset()


def is_in(members: Members, user: User) -> bool:
    """By name, by role, or by a team of Airflow. Never by the user's ID: a name of one may be the ID of another."""
    return (
        user.name in members.users
        or not user.roles.isdisjoint(members.roles)
        or not user.airflow_teams.isdisjoint(members.airflow_teams)
    )


@dataclass(frozen=True, slots=True)
class Sight:
    """Which groups a user sees. `everything`: all of them; else `mine` are the names of their teams."""

    teams: Teams | None
    everything: bool
    mine: frozenset[str] = frozenset()

    def sees(self, cluster: str, group_id: str) -> bool:
        """Whether the user may see a group, by its names alone: the answer is the same whether or not there is such a group."""
        if self.everything or self.teams is None:
            return self.everything
        team = self.teams.of(cluster, group_id)
        return team is not None and team.name in self.mine


EVERYTHING = Sight(None, everything=True)
"""Where a deployment has no teams."""


def sight_of(teams: Teams | None, user: User) -> Sight:
    if teams is None:
        return EVERYTHING
    mine = frozenset(one.name for one in teams.teams if _belongs(one, user))
    return Sight(teams, is_in(teams.all_groups, user), mine)


def _belongs(team: Team, user: User) -> bool:
    return is_in(team.members, user) or user.user_id in team.approvers


def may_request(teams: Teams, cluster: str, group_id: str, user_name: str) -> bool:
    """Whether a user, of whom only the name is known, requests and applies plans for a group: those whom the document names."""
    team = teams.of(cluster, group_id)
    return team is not None and (user_name in team.members.users or user_name in teams.all_groups.users)
