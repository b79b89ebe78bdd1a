"""The JSON of a report of the doctor of settings. Holdfast does not read it."""

from collections.abc import Mapping

from holdfast.rollout.settings import words
from holdfast.rollout.settings.findings import Finding, Price, Report
from holdfast.rollout.settings.rule import Figure, Fix
from holdfast.rollout.settings.vocabulary import Shown

VERSION = "1.0"
Row = dict[str, object]


def report_to_json(report: Report) -> Row:
    """Every finding with its facts, and its text in addition."""
    basis = report.basis
    assert basis is not None, "a report has its basis"
    return {
        "format_version": VERSION,
        "group_id": report.group_id,
        "kafka_release": basis.release,
        "application_properties": basis.complete,
        "differs_from_snapshot": list(basis.differs),
        "rules_judged": report.judged,
        "findings": [finding_to_json(one) for one in report.findings],
        "silenced": [finding_to_json(one.finding) | {"reason": one.reason} for one in report.silenced],
        "not_judged": [{"rule": rule.name, "reason": reason} for rule, reason in report.not_judged],
        "unknown_keys": list(report.unknown_keys),
        "filled_in": list(basis.filled_in),
    }


def finding_to_json(finding: Finding) -> Row:
    rule, hit = finding.rule, finding.hit
    return {
        "rule": rule.name,
        "settings": [_setting(one) for one in hit.settings],
        "says": words.says(rule, hit.figures),
        "figures": [_figure(one) for one in hit.figures],
        "price": None if finding.price is None else _price(finding.price),
        "not_priced": finding.not_priced,
        "fixes": [_fix(one) for one in hit.fixes],
        "instead": [_fix(one) for one in hit.instead],
        "releases": words.releases(rule.releases),
        "sources": [{"kind": str(one.kind), "name": one.name} for one in rule.sources],
    }


def _setting(one: Shown) -> Row:
    return {"key": one.key, "value": one.value}


def _figure(one: Figure) -> Row:
    return {"name": one.name, "value": one.value, "unit": str(one.unit)}


def _price(price: Price) -> Mapping[str, object]:
    return {"scenario": str(price.scenario), "measure": str(price.measure), "as_is": price.as_is, "fixed": price.fixed}


def _fix(one: Fix) -> Row:
    return {"key": one.key, "value": one.value, "where": str(one.where)}
