"""Each configuration of `known_harm` is found, by the right setting, with its price, its source and a fix that ends it."""

from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from tests.unit.rollout.settings.examples_of_rules import PAIRS
from tests.unit.rollout.settings.fixed import fixed
from tests.unit.rollout.settings.harm import Harm
from tests.unit.rollout.settings.known_harm import HARMS

from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.settings import words
from holdfast.rollout.settings.findings import Finding, Report

_ROUNDS = 3


@cache
def found_of(name: str) -> Report:
    return examined(HARMS[name].group(), dict(HARMS[name].given))


def named_by(finding: Finding, harm: Harm) -> bool:
    keys = [one.key for one in (*finding.hit.settings, *finding.hit.fixes)]
    return any(key == wanted or key.endswith(f".{wanted}") for key in keys for wanted in harm.keys)


def test_there_are_enough_of_them() -> None:
    assert len(HARMS) >= 350


@pytest.mark.thorough
@pytest.mark.parametrize("name", HARMS)
def test_known_harm_is_found(name: str) -> None:
    harm, report = HARMS[name], found_of(name)
    found = [one for one in report.findings if named_by(one, harm)]

    assert found, (words.title(report), report.not_judged)
    assert harm.price is None or harm.price in [one.price.measure for one in found if one.price is not None]
    assert all(one.rule.sources and one.hit.fixes for one in found)


@pytest.mark.thorough
@pytest.mark.parametrize("name", HARMS)
def test_fixes_end_with_no_finding(name: str) -> None:
    ends_well(HARMS[name].group(), HARMS[name].given, found_of(name).findings)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAIRS)
def test_the_fix_of_a_rule_is_free_of_its_finding(name: str) -> None:
    group, given = PAIRS[name].group(), PAIRS[name].bad
    findings = [one for one in examined(group, dict(given)).findings if one.rule.name == name]
    ends_well(group, given, findings)


def ends_well(group: AnySnapshot, given: Mapping[str, str], findings: Sequence[Finding]) -> None:
    """Where what is found is fixed, nothing is left; what a fix brings to light (a group with standbys has more to move) is fixed
    likewise, and no rule finds something twice."""
    seen: set[tuple[str, str]] = set()
    for _ in range(_ROUNDS):
        for one in findings:
            found = {(one.rule.name, shown.key) for shown in one.hit.settings}
            assert not seen & found, seen & found
            seen |= found
        group, given = fixed(group, given, [fix for one in findings for fix in one.hit.fixes])
        findings = examined(group, dict(given)).findings
    assert [one.rule.name for one in findings] == []
