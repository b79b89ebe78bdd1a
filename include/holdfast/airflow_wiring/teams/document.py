"""The variable `holdfast_teams` as a value. Without it there are no teams, and Airflow's rights on the DAGs are all there is.

Airflow takes a variable that a secrets backend fails to give for one that there is not. Then all groups would be open, so
Airflow's configuration, which is local, can state that there must be teams: `[holdfast] teams = required`.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.airflow_wiring.airflow_objects import TEAMS_VARIABLE
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.teams.teams import Teams

SETTING, REQUIRED = ("holdfast", "teams"), "required"


def teams() -> "Teams | None":
    """For airflow tasks. None: the deployment has no teams. Raise InvalidInput for a variable that is none."""
    from airflow.sdk import Variable, conf

    return teams_in(Variable.get(TEAMS_VARIABLE, default=None), conf.get(*SETTING, fallback=""))


def teams_in(text: object, setting: str | None) -> "Teams | None":
    """What the variable holds, YAML or JSON; `setting`: what Airflow's configuration has. An empty variable is an error, not a
    deployment without teams."""
    if setting not in ("", None, REQUIRED):
        raise InvalidInput(f"Airflow's setting [{'] '.join(SETTING)} is {setting!r}: {REQUIRED!r}, or nothing, is needed")
    if text is None and setting == REQUIRED:
        raise InvalidInput(
            f"Airflow gives no variable {TEAMS_VARIABLE}, and its setting [{'] '.join(SETTING)} is {REQUIRED!r}: set the variable,"
            " or check the secrets backend that has it"
        )
    return None if text is None else _read(str(text))


@lru_cache(maxsize=4)
def _read(text: str) -> "Teams":
    from holdfast.adapters import yaml_text
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.teams.teams import Teams

    try:
        return codec_of(Teams).read(yaml_text.loads(text))
    except InvalidInput as problem:
        raise InvalidInput(f"the variable {TEAMS_VARIABLE} is not valid: {problem}") from None
