"""What the user of a request may see, by the deployment's teams, on top of Airflow's rights on the DAGs.

Every route depends on it; one about a plan also on whose plan it is, whatever the route does with it. What a user may not see is
answered as what there is not: the same status, the same text. Whose a group is follows from its names alone, so such an answer
needs no look at the lake, and takes as long for a group that there is as for one that there is not.
"""

import logging
from functools import lru_cache
from typing import Annotated

import jwt
from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.auth.managers.models.resource_details import TeamDetails
from airflow.api_fastapi.core_api.security import GetUserDep
from airflow.configuration import conf
from airflow.models.variable import Variable
from fastapi import Depends, Request

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring.airflow_objects import TEAMS_VARIABLE
from holdfast.airflow_wiring.teams.document import SETTING, teams_in
from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.teams.sight import Sight, User, sight_of
from holdfast.rollout.teams.teams import Teams
from holdfast.web import overview, serving
from holdfast.workflows import plan as plans

log = logging.getLogger(__name__)
MOST_REMEMBERED = 20_000


def of_user(user: GetUserDep) -> Sight:
    """Raise NotSetUp, without what is in it, where the variable is not valid: then no page is shown."""
    try:
        known = teams_in(Variable.get(TEAMS_VARIABLE, default_var=None), conf.get(*SETTING, fallback=""))
    except InvalidInput as problem:
        log.warning("No page is shown: %s", problem)
        raise serving.NotSetUp(
            f"Airflow's variable {TEAMS_VARIABLE} is missing or not valid, so no page is shown. The api-server's log states why."
        ) from None
    return sight_of(known, user_of(user, known))


def user_of(user: BaseUser, known: Teams | None) -> User:
    """As the auth manager has them: FAB a list of roles, a simple user one role, Keycloak those of the realm in its token."""
    return User(user.get_name(), str(user.get_id()), _roles(user), _airflow_teams(user, known))


def _roles(user: BaseUser) -> frozenset[str]:
    several, one, token = (getattr(user, name, None) for name in ("roles", "role", "access_token"))
    named = [getattr(role, "name", None) for role in several or ()]
    if isinstance(token, str):
        named += _realm_roles(token)
    return frozenset(name for name in (*named, one) if isinstance(name, str) and name)


def _realm_roles(token: str) -> list[object]:
    """Of Keycloak's access token. Airflow has it from Keycloak, and keeps it inside its own signed token: that signature is what
    was checked."""
    try:
        access = jwt.decode(token, options={"verify_signature": False}).get("realm_access")
    except jwt.InvalidTokenError:
        return []
    roles = access.get("roles") if isinstance(access, dict) else None
    return list(roles) if isinstance(roles, list) else []


def _airflow_teams(user: BaseUser, known: Teams | None) -> frozenset[str]:
    """Airflow is only asked about teams that the document names."""
    if known is None or not known.airflow_teams or not conf.getboolean("core", "multi_team", fallback=False):
        return frozenset()
    manager = get_auth_manager()
    return frozenset(
        name for name in known.airflow_teams if manager.is_authorized_team(method="GET", details=TeamDetails(name=name), user=user)
    )


Theirs = Annotated[Sight, Depends(of_user)]


def refuse_others_plans(request: Request, sight: Theirs) -> None:
    """For every route: raise StatePathTrouble where the path names a plan that the user does not see, or that cannot be read."""
    plan_id = request.path_params.get("plan_id")
    if plan_id is not None and not sight.everything and not sees_plan(sight, serving.lake_address(), plan_id):
        raise StatePathTrouble("there is no such plan, or the user does not see its group")


def sees_plan(sight: Sight, place: LakeAddress, plan_id: str) -> bool:
    """Whether the user sees the plan's group. Of a plan that cannot be read the group is unknown: then only who sees all."""
    if sight.everything:
        return True
    try:
        return sight.sees(*_group_of(place, plan_id))
    except HoldfastError:
        return False


@lru_cache(maxsize=MOST_REMEMBERED)
def _group_of(place: LakeAddress, plan_id: str) -> tuple[str, str]:
    """Cluster and group of a plan. A plan's summary never changes."""
    if not plans.is_id(plan_id):
        raise InvalidInput("this is not the ID of a plan")
    one = plans.summary_of(FsspecLake(place), plan_id)
    return one.cluster, one.group_id


def refuse_others_group(sight: Sight, cluster: str, group_id: str) -> None:
    """Raise what a group raises that the lake knows nothing of."""
    if not sight.sees(cluster, group_id):
        raise InvalidInput(overview.NO_SNAPSHOT)


def snapshot(sight: Sight, place: LakeAddress, snapshot_id: str) -> AnySnapshot:
    """Raise StatePathTrouble where there is none, or none that this user sees or that can be read."""
    if sight.everything:
        return overview.snapshot(place, snapshot_id)
    try:
        found = overview.snapshot(place, snapshot_id)
    except HoldfastError:
        found = None
    if found is None or not sight.sees(found.cluster, found.group_id):
        raise StatePathTrouble("there is no such snapshot, or the user does not see its group")
    return found
