"""Mounts the pages (`holdfast.web`) in Airflow, and makes the pools that Holdfast's DAGs use, where they are missing.

A task of a pool that does not exist is never scheduled, and only the scheduler's log says so. An existing pool is left unchanged.
"""

import os

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

POOLS = {
    "holdfast_kafka": (4, "Reads of Kafka clusters and hosts at a time (Holdfast)"),
    "holdfast_spark": (1, "Spark jobs submitted at a time (Holdfast)"),
}

ICON = {"icon": "holdfast/static/holdfast.svg"}


class Pools:
    """Airflow's listener."""

    @hookimpl
    def on_starting(self, component: object) -> None:
        """Called in every component that has a job (scheduler, DAG processor, triggerer), and in every airflow task: not for us."""
        if type(component).__module__ != "airflow.jobs.job":
            return
        from airflow.models.pool import Pool
        from airflow.utils.session import create_session
        from sqlalchemy import select
        from sqlalchemy.exc import IntegrityError

        for name, (slots, description) in POOLS.items():
            try:
                with create_session() as session:
                    if session.scalar(select(Pool.id).where(Pool.pool == name)) is None:
                        session.add(Pool(pool=name, slots=slots, description=description, include_deferred=False))
            except IntegrityError:
                continue  # another component was quicker


def pages() -> list[dict[str, object]]:
    """Only the api-server serves pages: every other component would import a web framework for nothing."""
    if os.environ.get("_AIRFLOW_PROCESS_CONTEXT") != "server":
        return []
    from holdfast.web.app import app
    from holdfast.web.ready import get_ready

    get_ready()
    return [{"app": app, "url_prefix": "/holdfast", "name": "Holdfast"}]


class Holdfast(AirflowPlugin):
    """Airflow finds this class."""

    name = "holdfast"
    fastapi_apps = pages()
    external_views = [  # noqa: RUF012
        {
            "name": "Rollouts",
            "href": "holdfast/plans",
            "destination": "nav",
            "url_route": "rollouts",
            "nav_top_level": True,
            **ICON,
        },
        {"name": "Plan", "href": "holdfast/run?dag={DAG_ID}&run={RUN_ID}", "destination": "dag_run", "url_route": "plan", **ICON},
    ]
    listeners = [Pools()]  # noqa: RUF012 - Airflow's own shape
