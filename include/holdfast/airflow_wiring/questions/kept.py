"""What every question has: how Airflow keeps it, its field for a reason, and answers with a secret in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from airflow.sdk import Param
from airflow.sdk.api.datamodels._generated import HITLUser
from airflow.sdk.execution_time.comms import CreateHITLDetailPayload, HITLDetailRequestResult

from holdfast.airflow_wiring import decisions

LONGEST_REASON = 4_000


def reason(description: str) -> Param:
    """May be null: Airflow's form cannot be sent while a text in it is empty."""
    about = {"title": "Reason", "description": description}
    return Param(None, type=["null", "string"], maxLength=LONGEST_REASON, format="multiline", **about)


def assigned(users: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": user, "name": user} for user in users]


def store(
    context: Mapping[str, Any],
    *,
    options: list[str],
    subject: str,
    body: str | None,
    defaults: list[str] | None,
    params: dict[str, Any],
    users: Sequence[Mapping[str, str]],
) -> HITLDetailRequestResult:
    """Ask, and return the question as Airflow keeps it: this one, or the first one of this airflow task, without its answer."""
    return _stored(
        CreateHITLDetailPayload(
            ti_id=context["ti"].id,
            options=options,
            subject=subject,
            body=body,
            defaults=defaults,
            multiple=False,
            params=params,
            assigned_users=[HITLUser(**user) for user in users],
        )
    )


def _stored(question: CreateHITLDetailPayload) -> HITLDetailRequestResult:
    from airflow.sdk.execution_time.task_runner import SUPERVISOR_COMMS

    found = SUPERVISOR_COMMS.send(msg=question)
    if not isinstance(found, HITLDetailRequestResult):
        raise TypeError(f"Airflow answered {type(found).__name__} to a question that it had to store")
    return found


def is_for(kept: HITLDetailRequestResult, users: Sequence[Mapping[str, str]]) -> bool:
    """Whether Airflow lets these users answer, and no others."""
    return sorted(user.id for user in kept.assigned_users or ()) == sorted(user["id"] for user in users)


def refuse_secrets(event: Mapping[str, Any]) -> None:
    """Raise ValueError, which the policy of retries tries again, without a word of what was answered."""
    try:
        decisions.refuse_secret_answer(event)
    except decisions.HoldsSecret as refusal:
        raise ValueError(str(refusal)) from None
