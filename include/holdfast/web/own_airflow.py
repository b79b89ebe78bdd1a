"""Airflow's own REST interface, called in this process with the credentials of the user's request.

Its checks, its audit log and its scheduler see what they would see from its own pages.
"""

import httpx
from airflow.api_fastapi.app import cached_app
from fastapi import Request

_HANDED_ON = ("authorization", "cookie", "referer")


async def is_paused(request: Request, dag_id: str) -> bool:
    """Whether a DAG is paused, if the user who sent `request` may know that."""
    response = await ask(request, "GET", f"/api/v2/dags/{dag_id}")
    if not response.is_success:
        return False
    found = response.json()
    return isinstance(found, dict) and found.get("is_paused") is True


async def ask(request: Request, method: str, path: str, body: object = None) -> httpx.Response:
    """What Airflow answers to the user who sent `request`."""
    headers = {name: value for name in _HANDED_ON if (value := request.headers.get(name)) is not None}
    transport = httpx.ASGITransport(app=cached_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://airflow") as airflow:
        return await airflow.request(method, path, headers=headers, json=body)
