"""The link from a task of Airflow to the page of the plan that it made, or waits for."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from airflow.sdk import BaseOperatorLink

PAGES = "/holdfast"
"""Where the plugin mounts the pages, below Airflow's own base URL."""


class PlanPage(BaseOperatorLink):  # type: ignore[misc]  # Airflow is not typed for us
    """Airflow asks for the link when a task has ended; `show_while_waiting` is for one that waits for a person."""

    name = "Open the plan"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:  # noqa: ARG002 - Airflow's own signature
        from holdfast.airflow_wiring import runs
        from holdfast.airflow_wiring.airflow_objects import lake

        made = runs.made(lake(), ti_key.run_id)
        return "" if made is None else plan_page(made.plan_id)

    def show_while_waiting(self, context: Mapping[str, Any], plan_id: str) -> None:
        context["ti"].xcom_push(self.xcom_key, plan_page(plan_id))


def plan_page(plan_id: str) -> str:
    """The path of a plan's page on this Airflow."""
    from airflow.configuration import conf

    prefix = urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")
    return f"{prefix}{PAGES}/plans/{plan_id}"
