"""The tasks of `forecast_fleet`: the arguments of its Spark jobs, the summary, and the notifications."""

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from holdfast.airflow_wiring import notifiers
from holdfast.airflow_wiring.airflow_objects import FLEET_POLICY_VARIABLE, NOTIFIERS_VARIABLE, POLICY_VARIABLE, address, lake
from holdfast.airflow_wiring.clusters import days_of_run
from holdfast.airflow_wiring.teams import alerts as team_alerts
from holdfast.airflow_wiring.teams.document import teams
from holdfast.errors import ClusterTrouble

log = logging.getLogger(__name__)


def about_days(context: Mapping[str, Any]) -> list[str]:
    """The parameters of every job."""
    return ["--days", ",".join(days_of_run(context))]


def and_keep_days(context: Mapping[str, Any]) -> list[str]:
    from airflow.sdk import Variable

    return [*about_days(context), "--keep-days", str(Variable.get("holdfast_keep_days", default="400"))]


def and_forecast_ms(context: Mapping[str, Any]) -> list[str]:
    from airflow.sdk import Variable

    return [*about_days(context), "--forecast-ms", str(Variable.get("holdfast_forecast_ms", default=""))]


def and_limits(context: Mapping[str, Any]) -> list[str]:
    return [*about_days(context), "--policy", limits()]


def and_policy(context: Mapping[str, Any]) -> list[str]:
    """With the team's policy: what it silences. Raise InvalidInput for a variable that is none."""
    from airflow.sdk import Variable

    from holdfast.airflow_wiring.planning import limits as policy_in
    from holdfast.rollout.json.strict import dumps
    from holdfast.rollout.policy.json import policy_to_json

    given = policy_in(Variable.get(POLICY_VARIABLE, default=None), POLICY_VARIABLE)
    return about_days(context) if given is None else [*about_days(context), "--policy", dumps(policy_to_json(given.policy))]


def summarize(days: Sequence[str]) -> str:
    """Write `fleet/day=<day>/fleet.md` and `alerts.json` for each day; return the folder of the last."""
    from holdfast.rollout.json.strict import LARGEST_DOCUMENT
    from holdfast.rollout.tables import fleet_findings, fleet_summary

    store = lake()
    for day in days:
        folder = _folder(day)
        parts = [name for name in store.names((*folder, "findings")) if name.startswith("part-")]
        lines = [line for name in parts for line in store.read((*folder, "findings", name), LARGEST_DOCUMENT).splitlines()]
        findings = fleet_findings.findings_from_lines(day, lines)
        text = fleet_summary.markdown_of(findings)
        store.write((*folder, "fleet.md"), text.encode())
        _keep((*folder, "alerts.json"), team_alerts.of(findings, teams()))
        log.info("%s", text)
    return "/".join(folder)


def _folder(day: str) -> tuple[str, ...]:
    return ("fleet", f"day={day}")


def alert(day: str, context: Mapping[str, Any]) -> int:
    """Send every notifier of the variable, and of each team, what exceeds a limit and was not sent on this day before; return the
    number of findings. What is about groups of a team with notifiers of its own goes to these alone.

    Each may use `{{ alerts }}` (a sentence a line), `{{ alerts_escaped }}` (where `<` means something), `{{ alert_count }}`,
    `{{ fleet_link }}` (the fleet's page) and `{{ fleet_md }}` (its path) in its templated arguments.
    """
    from airflow.sdk.exceptions import AirflowSkipException

    place = _folder(day)
    before, above = _alerts((*place, "told.json")), _alerts((*place, "alerts.json"))
    new = {channel: [one for one in found if one not in before.get(channel, ())] for channel, found in above.items()}
    if not any(new.values()):
        raise AirflowSkipException("no new findings above a limit")
    for channel, found in new.items():
        if found:
            _send(channel, found, place, context)
            before = before | {channel: [*before.get(channel, ()), *found]}
            _keep((*place, "told.json"), before)
    return sum(map(len, new.values()))


def _send(channel: str, above: Sequence[str], place: tuple[str, ...], context: Mapping[str, Any]) -> None:
    """`channel`: the name of a team, or GENERAL. Of a team that is gone, or has no notifiers any more, nothing is sent."""
    for one in above:
        log.warning("%s", one)
    template = {
        "alerts": "\n".join(above),
        "alerts_escaped": escape("\n".join(above), quote=False),
        "alert_count": len(above),
        "fleet_link": address("/holdfast/fleet"),
        "fleet_md": f"{lake().url}/{'/'.join(place)}/fleet.md",
    }
    wanted = notifiers.of_team(team_alerts.notifiers_of(channel, teams()), NOTIFIERS_VARIABLE)
    for notifier in wanted.made():
        try:
            notifier({**context, **template})
        except Exception as trouble:  # noqa: BLE001 - what it quotes may hold its token: the address of a chat's webhook does
            name = f"{type(notifier).__module__}.{type(notifier).__qualname__}"
            raise ClusterTrouble(f"the notifier {name} of {wanted.variable} failed: {type(trouble).__name__}") from None


def _alerts(place: tuple[str, ...]) -> dict[str, list[str]]:
    """Sentences by channel. Nothing where none was written."""
    from holdfast.rollout.json.strict import LARGEST_DOCUMENT, loads

    if place[-1] not in lake().names(place[:-1]):
        return {}
    found = loads(lake().read(place, LARGEST_DOCUMENT))
    return {team_alerts.GENERAL: found["alerts"], **found.get("teams", {})} if isinstance(found, dict) else {}


def _keep(place: tuple[str, ...], alerts: Mapping[str, Sequence[str]]) -> None:
    from holdfast.rollout.json.strict import dumps

    document: dict[str, object] = {"day": place[-2].removeprefix("day="), "alerts": list(alerts.get(team_alerts.GENERAL, ()))}
    of_teams = {channel: list(found) for channel, found in alerts.items() if channel != team_alerts.GENERAL}
    lake().write(place, dumps(document | ({"teams": of_teams} if of_teams else {}), indent=2).encode())


def limits() -> str:
    """The variable's limits as a JSON object, all of them. Raise InvalidInput for what is none."""
    from airflow.sdk import Variable

    from holdfast.rollout.json.strict import dumps
    from holdfast.rollout.tables import fleet_findings

    policy = fleet_findings.policy_from_json(Variable.get(FLEET_POLICY_VARIABLE, default={}, deserialize_json=True))
    return dumps(dataclasses.asdict(policy))
