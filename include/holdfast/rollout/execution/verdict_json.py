"""What the JSON of every kind of Verdict has in common."""

from collections.abc import Iterable

from holdfast.rollout.execution.step_evidence import StepEvidence

VERDICT_VERSION = "1.2"
"""1.1: the result may be `not yet`; `steps` and `standbys`. 1.2: `facts`, the differences as values."""


def steps_shown(steps: Iterable[StepEvidence]) -> list[dict[str, object]]:
    return [{"step": one.step, "what": one.what, "shown": one.evidence.shown.value, "evidence": one.evidence.text} for one in steps]
