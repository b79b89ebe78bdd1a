"""The teams of a deployment: which groups are theirs, who is in them, who approves their plans, who is notified.

An administrator writes the document (the Airflow variable `holdfast_teams`). The rule over names is pure: whose a group is follows
from its cluster and its ID alone, whether or not there is such a group. docs/teams.md explains it.
"""

from fnmatch import fnmatchcase

from holdfast.errors import InvalidInput
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, Codec, as_it_is, items, nullable, table
from holdfast.rollout.json.record import codec_of, member, record

MOST_TEAMS, MOST_PATTERNS, MOST_NOTIFIERS = 1_000, 1_000, 20
ALL = "*"

_ANY: Codec[object] = Codec(as_it_is, as_it_is, dict)


@record
class GroupPattern:
    """Groups by two patterns, both of which must match: `*` stands for any characters, `?` for one, `[ab]` for one of these."""

    cluster: str = member(NAME, "The cluster, as in the connection holdfast_kafka_<cluster>: a name or a pattern.")
    group: str = member(NAME, "The application.id or group.id: a name or a pattern.")

    def matches(self, cluster: str, group_id: str) -> bool:
        """Upper and lower case differ, as they do in Kafka."""
        return fnmatchcase(cluster, self.cluster) and fnmatchcase(group_id, self.group)


@record(defaults=True)
class Members:
    """Users of Airflow. `roles` and `airflow_teams` are known to the pages, not to an airflow task."""

    users: tuple[str, ...] = member(NAMES, "Names of users, as Airflow records them with the runs that they trigger.", default=())
    roles: tuple[str, ...] = member(NAMES, "Roles of Airflow, by what its auth manager calls them.", default=())
    airflow_teams: tuple[str, ...] = member(
        NAMES, "Teams of Airflow ([core] multi_team), where its auth manager has them.", default=()
    )

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.airflow_teams)


@record
class Notifier:
    """One of Airflow's notifiers, by its class, and what it is made with."""

    notifier: str = member(NAME, "Its class, such as airflow.providers.smtp.notifications.smtp.SmtpNotifier.")
    arguments: tuple[tuple[str, object], ...] = member(table(NAME, _ANY), "Its arguments.", name="with", default=())


_NOTIFIERS = nullable(items(codec_of(Notifier), at_most=MOST_NOTIFIERS, what="notifiers"))


@record
class Team:
    """A team. `approvers` are IDs, as Airflow compares them; `members` are names."""

    name: str = member(NAME)
    groups: tuple[GroupPattern, ...] = member(
        items(codec_of(GroupPattern), at_least=1, at_most=MOST_PATTERNS, what="patterns"),
        "The team's groups. A group belongs to the first team of the list that has a pattern for it.",
    )
    members: Members = member(codec_of(Members), "Who sees the team's groups, and requests and applies plans for them.")
    approvers: tuple[str, ...] = member(
        items(NAME, at_least=1, what="approvers"),
        "The IDs of the users who may decide plans for the team's groups; no other user may. They see the groups too.",
    )
    four_eyes: bool = member(BOOLEAN, "Whether all its plans need another approver than the requester.", default=False)
    review_notifiers: tuple[Notifier, ...] | None = member(
        _NOTIFIERS, "Who is notified of plans that wait for review. Null: holdfast_review_notifiers.", default=None
    )
    notifiers: tuple[Notifier, ...] | None = member(
        _NOTIFIERS, "Who is notified of findings about the team's groups. Null: holdfast_notifiers.", default=None
    )

    def __post_init__(self) -> None:
        if not self.members:
            raise InvalidInput("the team has no member: give users, roles or airflow_teams", "members")

    def owns(self, cluster: str, group_id: str) -> bool:
        return any(one.matches(cluster, group_id) for one in self.groups)


def _reachable(teams: tuple[Team, ...]) -> None:
    """Raise InvalidInput where two teams have one name, or a pattern never counts since a team before has the same, or all."""
    names: dict[str, None] = {}
    before: dict[GroupPattern, str] = {}
    for number, team in enumerate(teams):
        if team.name in names:
            raise InvalidInput(f"the name {strict.shown(team.name)} is given twice; each team needs its own", f"[{number}].name")
        names[team.name] = None
        for place, pattern in enumerate(team.groups):
            owner = before.get(pattern, before.get(GroupPattern(ALL, ALL)))
            if owner is not None:
                raise InvalidInput(
                    f"team {strict.shown(owner)}, which is before this one, has all these groups already: a group belongs to the"
                    " first team that matches. Put this team before it, or remove the pattern",
                    f"[{number}].groups[{place}]",
                )
        before |= dict.fromkeys(team.groups, team.name)


def _is_teams(value: object) -> None:
    contracts.refuse_another(value, "Teams")
    strict.refuse_secrets(value)


@record(
    version=strict.FORMAT_VERSION,
    first=_is_teams,
    about="Which groups belong to which team, and who sees, requests and approves what.",
)
class Teams:
    """The teams, the first that matches a group first. A group of no team is seen by `all_groups` alone, and gets no plan."""

    teams: tuple[Team, ...] = member(
        items(codec_of(Team), at_most=MOST_TEAMS, what="teams").checked(_reachable), "The first that matches a group has it."
    )
    all_groups: Members = member(
        codec_of(Members), "Who sees every group, those of no team too, and requests plans as a member.", default=Members()
    )

    def of(self, cluster: str, group_id: str) -> Team | None:
        """The team of a group, which need not exist. None: no team has it."""
        return next((team for team in self.teams if team.owns(cluster, group_id)), None)

    @property
    def airflow_teams(self) -> tuple[str, ...]:
        """All teams of Airflow that are named anywhere."""
        named = [*self.all_groups.airflow_teams, *(one for team in self.teams for one in team.members.airflow_teams)]
        return tuple(dict.fromkeys(named))
