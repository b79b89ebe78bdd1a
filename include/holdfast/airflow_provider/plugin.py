"""Mounts the pages (`holdfast.web`) in Airflow, and makes the pools that Holdfast's DAGs use, where they are missing.

A task of a pool that does not exist is never scheduled, and only the scheduler's log says so. An existing pool is left unchanged.
"""

import sys
from typing import Any

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

POOLS = {
    "holdfast_kafka": (4, "Reads of Kafka clusters and hosts at a time (Holdfast)"),
    "holdfast_spark": (1, "Spark jobs submitted at a time (Holdfast)"),
}

ICON = {"icon": "holdfast/static/holdfast.svg"}


class Pools:
    """Airflow's listener."""

    @hookimpl  # type: ignore[untyped-decorator]  # Airflow is not typed for us
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


async def pages(scope: Any, receive: Any, send: Any) -> None:
    """The pages, imported when they are asked for."""
    from holdfast.web.app import app

    await app(scope, receive, send)


def get_ready() -> None:
    """Only the api-server imports the pages before that. Every process of Airflow's loads plugins, each task's too, and the
    environment does not distinguish them: tasks inherit the scheduler's, which says "server" like the api-server's."""
    if "airflow.api_fastapi.main" in sys.modules:
        from holdfast.web import ready

        ready.get_ready()


class HoldfastPlugin(AirflowPlugin):  # type: ignore[misc]
    """Airflow finds this class by the entry point of an installed Holdfast, or in `plugins/` of the project."""

    name = "holdfast"
    fastapi_apps = [{"app": pages, "url_prefix": "/holdfast", "name": "Holdfast"}]  # noqa: RUF012
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


get_ready()
