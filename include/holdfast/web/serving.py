"""What every route needs: where the lake is, what time it is, a submitted form, a rendered page."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs

from airflow.exceptions import AirflowNotFoundException
from airflow.models.connection import Connection
from airflow.models.variable import Variable
from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse

from holdfast.adapters.lake.address import LakeAddress
from holdfast.airflow_wiring.airflow_objects import CLUSTERS_VARIABLE, LAKE_VARIABLE, lake_with_connection
from holdfast.errors import InvalidInput
from holdfast.web import templating

LONGEST_FORM = 64 * 1024
MOST_FIELDS = 20


def lake_address() -> LakeAddress:
    url = Variable.get(LAKE_VARIABLE, default_var=None)
    if not url:
        raise NotSetUp(f"Airflow has no variable {LAKE_VARIABLE}: set it to the folder or URL of the lake.")
    return lake_with_connection(str(url), Connection.get_connection_from_secrets, AirflowNotFoundException)


class NotSetUp(InvalidInput):
    """Airflow's configuration lacks what the pages need."""


def knows_clusters() -> bool:
    """Whether the variable names one, as the DAG that collects reads it."""
    try:
        named = json.loads(str(Variable.get(CLUSTERS_VARIABLE, default_var=None) or "[]"))
    except ValueError:
        return False
    return isinstance(named, list) and any(isinstance(one, str) and one for one in named)


def now() -> datetime:
    return datetime.now(UTC)


def page(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    root = request.scope.get("root_path", "")
    return HTMLResponse(templating.render(template, root=root, airflow=root.removesuffix("/holdfast"), **values), status)


async def form(request: Request, longest: int = LONGEST_FORM, most_fields: int = MOST_FIELDS) -> dict[str, list[str]]:
    """The fields of a form as a browser sends it. Raise 413 for more than that, 400 for what is no form."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > longest:
            raise HTTPException(413, "The form is too large.")
    try:
        return parse_qs(content.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=most_fields)
    except ValueError:
        raise HTTPException(400, "The form has too many fields.") from None
