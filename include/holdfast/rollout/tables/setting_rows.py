"""What the doctor of settings finds about a group, as rows of the table `settings_findings`."""

from dataclasses import replace

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.rollout.json.strict import A_ROW
from holdfast.rollout.kinds import any_document, settings
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings import words
from holdfast.rollout.settings.case import Case, Figures
from holdfast.rollout.settings.findings import Finding
from holdfast.rollout.settings.rule import Scenario, World
from holdfast.rollout.tables.group_rows import Row

MOST_WORK = 3_000
"""Clients by tasks of a group whose findings are priced at night: up to five seconds of one processor."""


def findings(document: str, policy: Policy, work: int) -> Row:
    """Of a Snapshot: `findings`, those that the policy silences among them; one row without a `rule` where there is none. Or the
    `problem` why that is unknown. `work`: clients by tasks."""
    try:
        snapshot = any_document.snapshot_from_text(document, A_ROW)
        report = settings.examined(snapshot, None, policy, _without_prices if work > MOST_WORK else None)
    except HoldfastError as refusal:
        return {"problem": str(refusal), "findings": []}
    kept = [(one, None) for one in report.findings]
    silenced = [(one.finding, one.reason) for one in report.silenced]
    rows = [_row(finding, reason) for finding, reason in (*kept, *silenced)]
    counted = {"rules_judged": report.judged, "not_judged": len(report.not_judged)}
    return {"problem": None, "findings": [row | counted for row in rows or [{}]]}


def _without_prices(case: Case) -> Case:
    """The same with rules that cite their source only: its forecasts take too long for a night."""

    def refused(scenario: Scenario, world: World) -> Figures:  # noqa: ARG001 - as `Prices`
        raise CannotPredict("not forecast at night: the group is large; `holdfast doctor --config` does")

    return replace(case, prices=refused)


def _row(finding: Finding, silenced: str | None) -> Row:
    price = finding.price
    return {
        "rule": finding.rule.name,
        "says": words.says(finding.rule, finding.hit.figures),
        "settings": [f"{one.key}={one.value}" for one in finding.hit.settings],
        "fixes": [words.fix(one) for one in finding.hit.fixes],
        "releases": words.releases(finding.rule.releases),
        "sources": words.sources(finding.rule),
        "scenario": None if price is None else str(price.scenario),
        "measure": None if price is None else str(price.measure),
        "as_is": None if price is None else float(price.as_is),
        "fixed": None if price is None else float(price.fixed),
        "costs": None if price is None else words.cost(price),
        "not_priced": finding.not_priced,
        "silenced": silenced,
    }
