"""JSON Schema of a Verdict."""

from holdfast.rollout.contract.schema import span
from holdfast.rollout.contract.verdicts import Result
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.facts.differences import DIFFERENCES
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import PROCESS_ID, TASK_ID, Shape, count, fields, items, nullable, one_of, table, text

VERDICT: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name(),
        "cluster": text(),
        "group_id": text(),
        "observed_at": nullable(text()),
        "result": one_of(Result),
        "score": fields({"tasks_as_forecast": count(), "tasks": count()}),
        "rebalances": fields({"expected": span, "found": nullable(count())}),
        "differences": items(text()),
        "tasks": table(TASK_ID, fields({"expected": PROCESS_ID, "found": nullable(PROCESS_ID)})),
    },
    {
        "steps": items(fields({"step": shapes.name(), "what": text(), "shown": one_of(Shown), "evidence": text()})),
        "facts": DIFFERENCES.shape() | {"description": "`differences` as values."},
        "standbys": table(TASK_ID, fields({"expected": items(PROCESS_ID), "found": items(PROCESS_ID)})),
    },
    about="The forecast against what happened, and what shows that each step did.",
)
