"""The words of a plan that every kind of group shares: its assessment, its policy checks, its options, who does a step."""

from collections.abc import Iterable, Mapping

from holdfast.rollout.contract.assessment import Assessment, Rule, RuleStatus
from holdfast.rollout.contract.settings import Who

BASELINE = "Baseline (no mitigation)"
WHO = {Who.OPERATOR: "manual", Who.HOLDFAST: "automated"}
ASSESSMENTS: Mapping[Assessment, str] = {
    Assessment.NOTHING_TO_DO: "nothing to do",
    Assessment.SAFE: "within policy",
    Assessment.REVIEW: "needs review",
    Assessment.BLOCKED: "blocked",
}
WHOSE_STEPS = (
    "Automated, manual",
    "Holdfast does automated steps (holdfast apply; apply_rollout). Manual ones are yours, unless the policy lists them (acts).",
)
"""An entry of the glossary of every plan."""
TIMES = ("Times", "in 7 s (1 s to 38 s), 7 s is the usual time, 1 s the shortest and 38 s the longest.")
"""Another one."""
CHECKED = {RuleStatus.PASS: "passed", RuleStatus.FAIL: "failed", RuleStatus.UNKNOWN: "unknown"}


def setting(value: object) -> str:
    """A setting's value; None: it is not set."""
    if value is None:
        return "Kafka's default"
    return ",".join(value) or "empty" if isinstance(value, tuple) else str(value)


def needs_review(rules: Iterable[Rule]) -> str:
    """`needs review (failed: rebalances; unknown: evidence)`."""
    checked = tuple(rules)
    failed = [rule.name for rule in checked if rule.status is RuleStatus.FAIL]
    unknown = [rule.name for rule in checked if rule.status is RuleStatus.UNKNOWN]
    parts = [f"{what} {', '.join(names)}" for what, names in (("failed:", failed), ("unknown:", unknown)) if names]
    return f"needs review ({'; '.join(parts) or 'your policy requires it for every plan'})"
