"""The question after a halt of `apply_rollout`: go on, go back, or leave it?

| what Airflow does                                                 | what is done about it                                      |
|-------------------------------------------------------------------|------------------------------------------------------------|
| keeps the first question's text and users for every later         | the text names the halt that it is about; an answer to a   |
| question of an airflow task                                       | later halt must name that by its number. Other users than  |
|                                                                   | the approvers now: the task fails                          |
| takes an answer that was meant for an earlier question            | it lacks the number of the halt that is open, or has       |
|                                                                   | another: it is asked again, and nothing is done            |
| resumes a task that waits for its next turn, where an earlier     | the turn comes early, and what was answered is not read    |
| question of it has no answer yet                                  |                                                            |
| may lose an answer given in the instant of asking; tries a task   | while a halt is open, another attempt asks, and does       |
| again whose worker was killed                                     | nothing else                                               |
| takes an answer with wrong parameters, or with a secret in it     | it is asked again; nothing of it is kept or repeated       |
| answers by itself when a time is over                             | no time is set: without an answer nothing is done          |

Which halt is open is what the journal says, and never what a task was handed.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Never

from airflow.sdk import Param
from airflow.sdk.definitions.param import ParamsDict
from airflow.sdk.exceptions import TaskAwaitingInput

from holdfast.airflow_wiring import decisions
from holdfast.airflow_wiring.airflow_objects import GO_BACK, GO_ON, LEAVE, lake, page_of
from holdfast.airflow_wiring.questions import kept
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.workflows.running.answers import GivenAnswer

OPTIONS = [GO_ON, GO_BACK, LEAVE]
LONGEST_TEXT = 4_000
LONGEST_STEP = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenHalt:
    """A halt without an answer. `number`: of its entry in the plan's journal."""

    plan_id: str
    number: int
    why: str
    text: str

    @property
    def line(self) -> str:
        from holdfast.rollout.text.format import printable

        return f"The run of plan {self.plan_id} halted ({self.why}): {printable(self.text, LONGEST_TEXT)} Nothing else was begun."


class NoAnswer(InvalidInput):
    """What was answered is no answer to the halt that is open: it is asked again."""


def open_halt(plan_id: str) -> OpenHalt | None:
    """By the plan's journal. Raise StepRefused for a journal that was not signed here."""
    from holdfast.workflows import journals

    found = journals.read(lake(), plan_id, signing_keys())
    journals.refuse_broken(found, signing_keys())
    last = found.journal.open_halt()
    if last is None:
        return None
    number, entry = last
    return OpenHalt(plan_id, number, "" if entry.halt is None else entry.halt.value, entry.detail)


def ask(context: Mapping[str, Any], halt: OpenHalt) -> Never:
    """Wait for an answer without occupying anything. Raise InvalidInput where Airflow's question is not for the approvers."""
    users = kept.assigned(_approvers(halt.plan_id))
    params = _fields()
    found = kept.store(
        context,
        options=OPTIONS,
        subject=f"The run of plan {halt.plan_id} has halted. How does it go on?",
        body=body(halt),
        defaults=None,
        params={name: params.get_param(name).serialize() for name in params},
        users=users,
    )
    if not kept.is_for(found, users):
        raise InvalidInput(
            f"{halt.line} Airflow's question of this run has other approvers than there are now, so no approver is asked. Trigger"
            " apply_rollout for the plan again to go on"
        )
    log.warning("%s It waits for an answer to halt %d, under Required Actions of this run.", halt.line, halt.number)
    kwargs = {"halt": halt.number, "shown": is_about(found.body, halt)}
    raise TaskAwaitingInput(method_name="answered", kwargs=kwargs, timeout=None)


def body(halt: OpenHalt) -> str:
    """True of every later halt of the same airflow task too, for Airflow keeps it. The last line holds no name (`is_about`)."""
    from holdfast.rollout.text.format import markdown, printable

    return (
        f"It stopped before its next act ({markdown(halt.why)}): {markdown(printable(halt.text, LONGEST_TEXT))}\n\n"
        f"[The plan's page]({page_of(halt.plan_id)}) shows the group and the journal.\n\n"
        f"- **{GO_ON}**: put right what is named, then answer. The run looks at the group anew, and halts again where it must."
        " Extra rebalances or a divergence that it halted for are accepted, and a pause that it halted for is removed. This is"
        " recorded under your name.\n"
        f"- **{GO_BACK}**: what was done is rolled back, the last step first, each rollback checked as a step is. Once it has"
        f" begun, the plan cannot be continued, and {GO_ON} after another halt continues to go back. A step that a person has to"
        f" roll back halts it (person): do it, then answer {GO_ON} with the number of the step in *Rolled back by hand*.\n"
        f"- **{LEAVE}**: nothing else is done, and this airflow task fails.\n\n"
        "Without an answer nothing is done. If this run halts again, it asks again, and Airflow shows this text still: the journal"
        " on the plan's page has the new halt, and an answer to it needs its number there in the field *Halt*."
        f"{_about(halt)}"
    )


def is_about(text: str | None, halt: OpenHalt) -> bool:
    """Whether a question's text, as Airflow keeps it, is about this halt: its last line says so."""
    return text is not None and text.endswith(_about(halt))


def _about(halt: OpenHalt) -> str:
    return f"\n\nHalt {halt.number} of plan {halt.plan_id}\n"


def _approvers(plan_id: str) -> tuple[str, ...]:
    """The IDs of those who may answer now; none: all who may trigger the DAG."""
    from holdfast.workflows import plan as plans

    return decisions.approvers_of(plans.load(lake(), plan_id, signing_keys()))


def given(plan_id: str, event: object, halt: int, *, shown: bool) -> "GivenAnswer":
    """What a person answered to the halt of the plan that is open. `shown`: Airflow shows a text that is about it. Raise
    NoAnswer."""
    from holdfast.rollout.text.format import printable
    from holdfast.workflows.running.answers import GivenAnswer, HaltAnswer

    if not isinstance(event, Mapping) or not isinstance(event.get("responded_by_user"), Mapping):
        raise NoAnswer("it is not an answer by a person")
    try:
        kept.refuse_secrets(event)
    except ValueError as refusal:
        raise NoAnswer(str(refusal)) from None
    filled_in = _filled_in(event.get("params_input"))
    number = filled_in["halt"]
    chosen = event.get("chosen_options")
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in OPTIONS:
        raise NoAnswer(f"one of {', '.join(OPTIONS)} is needed")
    user = event["responded_by_user"]
    by = str(user.get("name") or user["id"])
    allowed = _approvers(plan_id)
    if allowed and str(user["id"]) not in allowed:
        raise NoAnswer(f"{printable(by)} is not an approver")
    if number is None and not shown:
        raise NoAnswer(f"the question's text is about another halt: fill in the number of the halt that is open, {halt}")
    if number not in (None, halt):
        raise NoAnswer(f"it answers halt {number}, and halt {halt} is open")
    answer = {GO_ON: HaltAnswer.GO_ON, GO_BACK: HaltAnswer.GO_BACK, LEAVE: HaltAnswer.LEAVE}[chosen[0]]
    return GivenAnswer(halt, answer, by, _text(filled_in["reason"]), _text(filled_in["rolled_back"]) or None)


def _filled_in(params: object) -> dict[str, Any]:
    fields, found = _fields(), {} if params is None else params
    if not isinstance(found, Mapping) or set(found) - set(fields):
        raise NoAnswer(f"it has other fields than {', '.join(fields)}")
    try:
        for name, value in found.items():
            fields[name] = value
        return dict(fields.validate())
    except Exception:  # noqa: BLE001 - whatever Airflow raises for a wrong value, its text has the value
        raise NoAnswer("a field has a value that is not allowed") from None


def _text(value: str | None) -> str:
    return (value or "").strip()


def _fields() -> ParamsDict:
    number = Param(
        None,
        type=["null", "integer"],
        minimum=1,
        title="Halt",
        description="Its number in the journal on the plan's page. May be left empty for the halt that the text above is about.",
    )
    rolled_back = Param(
        None,
        type=["null", "string"],
        maxLength=LONGEST_STEP,
        title="Rolled back by hand",
        description="With Go on: the number of the step that the halt asks a person to roll back, once that is done. It is recorded"
        " under your name. Without it, the run only looks anew.",
    )
    reason = kept.reason("Kept under your name in the journal; of Go back in the log only.")
    return ParamsDict({"halt": number, "rolled_back": rolled_back, "reason": reason})
