"""The route of "Which protocol": a form that is sent by GET. It changes nothing.

Annotations are real objects here, not text: see `app.py`.
"""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from holdfast.web import protocols, serving, theirs
from holdfast.web.theirs import Theirs

Text = Annotated[str, Query(max_length=300)]
Name = Annotated[str, Query(max_length=4_000)]
Number = Annotated[str, Query(max_length=20)]

router = APIRouter()


@router.get("/protocols")
def protocols_page(
    request: Request,
    sight: Theirs,
    cluster: Text = "",
    group: Name = "",
    restarts: Number = "",
    replacements: Number = "",
    scale_outs: Number = "",
    scale_ins: Number = "",
    comparison: Text = "",
) -> HTMLResponse:
    theirs.refuse_others_group(sight, cluster, group)
    typed = {"restarts": restarts, "replacements": replacements, "scale_outs": scale_outs, "scale_ins": scale_ins}
    try:
        view = protocols.view(serving.lake_address(), cluster, group, typed, comparison)
    except protocols.Busy as busy:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, str(busy)) from None
    return serving.page(
        request,
        "protocols.html",
        status=HTTPStatus.BAD_REQUEST if view.problems else HTTPStatus.OK,
        view=view,
        cluster=cluster,
        group=group,
        typed=typed,
        fields=protocols.FIELDS,
    )
