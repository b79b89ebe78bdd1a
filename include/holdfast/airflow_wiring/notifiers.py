"""Airflow's own notifiers, as configured in a variable."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from airflow.sdk.bases.notifier import BaseNotifier

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import REVIEW_NOTIFIERS_VARIABLE, TEAMS_VARIABLE, address, lake, page_of
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.airflow_wiring.teams import rights
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.group.values import AnyPlan
    from holdfast.rollout.teams.teams import Notifier

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Notifiers in their stored form, and which variable has them."""

    entries: Sequence[Mapping[str, Any]]
    variable: str

    def made(self) -> list[Any]:
        """Raise InvalidInput where one of them cannot be."""
        return [_made(one, self.variable) for one in self.entries]


def of_team(own: "tuple[Notifier, ...] | None", variable: str) -> Wanted:
    """The team's own, or those of the variable where it has none."""
    if own is None:
        return Wanted(_entries(variable), variable)
    return Wanted([{"notifier": one.notifier, "with": dict(one.arguments)} for one in own], TEAMS_VARIABLE)


def _entries(variable: str) -> list[dict[str, Any]]:
    """Their stored form: `[{"notifier": "airflow.providers.….SmtpNotifier", "with": {…}}]`."""
    from airflow.sdk import Variable

    wanted = Variable.get(variable, default=[], deserialize_json=True)
    if not isinstance(wanted, list) or not all(isinstance(one, dict) and isinstance(one.get("notifier"), str) for one in wanted):
        raise InvalidInput(
            f"the variable {variable} is not a JSON list of objects like"
            ' {"notifier": "airflow.providers.smtp.notifications.smtp.SmtpNotifier", "with": {"to": "team@example.com"}}'
        )
    return wanted


def _made(entry: Mapping[str, Any], variable: str) -> Any:
    from airflow.sdk.module_loading import import_string

    name, arguments = entry["notifier"], entry.get("with", {})
    try:
        kind = import_string(name)
    except ImportError as error:
        raise InvalidInput(f"the notifier {name!r} of {variable} cannot be imported: {error}") from None
    if not (isinstance(kind, type) and issubclass(kind, BaseNotifier)):
        raise InvalidInput(f"{name!r} of {variable} is not an Airflow notifier (a BaseNotifier)")
    try:
        return kind(**arguments)
    except TypeError as error:
        raise InvalidInput(f"the notifier {name!r} of {variable} does not accept the arguments under `with`: {error}") from None


class PlanWaits(BaseNotifier):  # type: ignore[misc]  # Airflow is not typed for us
    """Sends the notifiers of `holdfast_review_notifiers` the news that a plan waits for a decision, in ten lines and with a link.

    Each may use `{{ plan_summary }}`, `{{ plan_summary_escaped }}` (where `<` means something), `{{ plan_id }}`, `{{ plan_link }}`
    (the plan's page) and `{{ answer_link }}` (Airflow's own) in its templated arguments. One that fails is named in the log and
    does not prevent a decision: the question is asked already.
    """

    def notify(self, context: Mapping[str, Any]) -> None:
        from holdfast.rollout.text import document_blocks
        from holdfast.workflows import plan as workflow

        task = context["ti"]
        where = f"/dags/{task.dag_id}/runs/{quote(task.run_id, safe='')}/tasks/{task.task_id}/required_actions"
        plan = runs.plan_of(lake(), task.run_id, signing_keys())
        summary = document_blocks.ten_lines(workflow.blocks(plan))
        _send(context, "the plan is waiting for review", summary, plan, where)


class RunHalted(BaseNotifier):  # type: ignore[misc]  # Airflow is not typed for us
    """Sends the same notifiers the news that the run of a plan halted and waits for an answer; `plan_summary` says why."""

    def __init__(self, plan_id: str, line: str) -> None:
        super().__init__()
        self.plan_id, self.line = plan_id, line

    def notify(self, context: Mapping[str, Any]) -> None:
        from holdfast.workflows import plan as workflow

        task = context["ti"]
        where = f"/dags/{task.dag_id}/runs/{quote(task.run_id, safe='')}/required_actions"
        plan = workflow.load(lake(), self.plan_id, signing_keys())
        _send(context, "the run of a plan halted", self.line, plan, where)


def _send(context: Mapping[str, Any], what: str, summary: str, plan: "AnyPlan", where: str) -> None:
    """To the team that the plan's group belongs to now."""
    template = {
        "plan_summary": summary,
        "plan_summary_escaped": escape(summary, quote=False),
        "plan_id": plan.plan_id,
        "plan_link": page_of(plan.plan_id),
        "answer_link": address(where),
    }
    try:
        team = rights.team_of(plan)
        wanted = of_team(None if team is None else team.review_notifiers, REVIEW_NOTIFIERS_VARIABLE)
    except (InvalidInput, rights.OfAnotherTeam) as refusal:
        log.warning("No notification was sent that %s: %s", what, refusal)
        return
    for entry in wanted.entries:
        name = entry["notifier"]
        try:
            _made(entry, wanted.variable)({**context, **template})
        except InvalidInput as refusal:
            log.warning("%s failed to notify that %s: %s", name, what, refusal)
        except Exception as trouble:  # noqa: BLE001 - a notifier may raise anything, and a chat that is down is no reason to wait
            log.warning("%s failed to notify that %s: %s", name, what, type(trouble).__name__)
