"""A DAG run that is followed over the REST interface while the API server may go away, and cleared where its tries ran out."""

from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Self
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from tests.harness.pages.airflow_server import Server

NOT_NOW = (OSError, URLError, HTTPException, ValueError)
"""The API server, or its database, is not there."""
ENDS = ("success", "failed")
CLEARED_AT_MOST = 3
"""A task has three tries; kills may use them up. Then an operator clears what failed."""


@dataclass
class DagRun:
    server: Server
    dag_id: str
    path: str
    state: str = ""
    cleared: int = 0

    @classmethod
    def of(cls, server: Server, dag_id: str, conf: dict[str, Any]) -> Self:
        """Triggered by bob."""
        made = server.rest("POST", f"/api/v2/dags/{dag_id}/dagRuns", {"logical_date": None, "conf": conf}, "bob")
        return cls(server, dag_id, f"/api/v2/dags/{dag_id}/dagRuns/{quote(str(made['dag_run_id']))}")

    @property
    def run_id(self) -> str:
        return str(self.server.rest("GET", self.path)["dag_run_id"])

    def go_on(self) -> bool:
        """Whether it has succeeded, or has failed and is cleared no more."""
        self.state = str(self.server.rest("GET", self.path)["state"])
        if self.state == "failed" and self.cleared < CLEARED_AT_MOST:
            self.server.rest("POST", f"{self.path}/clear", {"dry_run": False, "only_failed": True}, "admin")
            self.cleared += 1
            return False
        return self.state in ENDS

    def task(self, task_id: str) -> str:
        """The state of an airflow task that is not mapped."""
        try:
            return str(self.server.rest("GET", f"{self.path}/taskInstances/{task_id}")["state"])
        except HTTPError:
            return "none"

    def wrong(self) -> list[str]:
        if self.state == "success":
            return []
        tasks = self.server.rest("GET", f"{self.path}/taskInstances")["task_instances"]
        failed = [f"{one['task_id']} {one['state']} after {one['try_number']} tries" for one in tasks if one["state"] != "success"]
        return [f"{self.dag_id} is {self.state or 'not known'}: {', '.join(failed)}"]
