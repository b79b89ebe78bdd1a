"""The last tasks of `forecast_fleet`: the summary, and whoever is to be told."""

import logging
from collections.abc import Mapping
from typing import Any

from holdfast.airflow_wiring import notifiers
from holdfast.airflow_wiring.objects import FLEET_POLICY_VARIABLE, NOTIFIERS_VARIABLE, lake

log = logging.getLogger(__name__)


def summarize(days: str) -> str:
    """Write `fleet/day=<day>/fleet.md` and `alerts.json` for each day; return the folder of the last."""
    from holdfast.rollout import codec, fleet

    store, policy = lake(), _policy()
    for day in days.split(","):
        folder = ("fleet", f"day={day}")
        parts = [name for name in store.names((*folder, "findings")) if name.startswith("part-")]
        lines = [line for name in parts for line in store.read((*folder, "findings", name), codec.LARGEST_DOCUMENT).splitlines()]
        findings = fleet.findings_from_lines(day, lines)
        above = fleet.alerts(findings, policy)
        text = fleet.markdown_of(findings, above)
        store.write((*folder, "fleet.md"), text.encode())
        store.write((*folder, "alerts.json"), codec.dumps({"day": day, "alerts": list(above)}, indent=2).encode())
        log.info("%s", text)
    return "/".join(folder)


def alert(folder: str, context: Mapping[str, Any]) -> int:
    """Tell every notifier of the variable what is above the policy, once a run; return how much that is.

    Each may use `{{ alerts }}` (a sentence a line), `{{ alert_count }}` and `{{ fleet_md }}` in its templated arguments.
    """
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.rollout import codec

    store = lake()
    found = codec.loads(store.read((*folder.split("/"), "alerts.json"), codec.LARGEST_DOCUMENT))
    above = found["alerts"] if isinstance(found, dict) else []
    if not above:
        raise AirflowSkipException("nothing is above the policy")
    for one in above:
        log.warning("%s", one)
    said = {"alerts": "\n".join(above), "alert_count": len(above), "fleet_md": f"{store.url}/{folder}/fleet.md"}
    for notifier in notifiers.named_in(NOTIFIERS_VARIABLE):
        notifier({**context, **said})
    return len(above)


def _policy() -> Any:
    from airflow.sdk import Variable

    from holdfast.rollout import fleet

    return fleet.policy_from_json(Variable.get(FLEET_POLICY_VARIABLE, default={}, deserialize_json=True))
