"""A plan for continuous integration: a JUnit report, or annotations of a GitHub workflow. The command sets the exit status.

No SARIF: its findings are places in source files, and a plan's are about a group.
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from holdfast.rollout.contract.assessment import Assessment, Rule, RuleStatus
from holdfast.rollout.contract.plan_words import ASSESSMENTS, CHECKED
from holdfast.rollout.facts import condition_words
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import Block
from holdfast.rollout.text.format import printable

LONGEST = 2_000
MOST_OF_A_KIND = 10
"""Annotations of one kind that GitHub shows of a step."""
LONGEST_COMMENT = 65_536
"""Characters of a comment on GitHub. Holdfast counts bytes: that is the safe side."""
LONGEST_SUMMARY = 1_000_000
"""Bytes, a little less than GitHub takes of a step for the page of its run; of a longer one it shows nothing."""
_COMMANDS = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTIES = _COMMANDS | {":": "%3A", ",": "%2C"}


def junit(plan: AnyPlan, blocks: tuple[Block, ...]) -> str:
    """A test suite: the assessment, then each rule. A failed rule is a failure; one that is unknown is skipped. Each says why."""
    rules = _rules(plan)
    blocked = plan.assessment is Assessment.BLOCKED
    suite = ElementTree.Element("testsuite", name=_line(f"Holdfast: {plan.basis.group_id} on {plan.basis.cluster}"))
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("plan_id", plan.plan_id), ("assessment", plan.assessment.value), ("expires_at", plan.expires_at)):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    assessment = ElementTree.SubElement(suite, "testcase", classname="holdfast", name="assessment")
    if blocked:
        _say(assessment, "failure", _line("; ".join(plan.blocked_by)), type="blocked")
    for rule in rules:
        case = ElementTree.SubElement(suite, "testcase", classname="holdfast.rules", name=rule.name)
        if rule.status is RuleStatus.FAIL:
            _say(case, "failure", _said(rule), type="blocked" if rule.blocking else "needs review")
        elif rule.status is RuleStatus.UNKNOWN:
            _say(case, "skipped", _said(rule))
    counts = {
        "tests": 1 + len(rules),
        "failures": blocked + sum(rule.status is RuleStatus.FAIL for rule in rules),
        "skipped": sum(rule.status is RuleStatus.UNKNOWN for rule in rules),
        "errors": 0,
    }
    suite.attrib |= {name: str(count) for name, count in counts.items()}
    ElementTree.SubElement(suite, "system-out").text = document_blocks.ten_lines(blocks)
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def _say(case: ElementTree.Element, what: str, message: str, **attributes: str) -> None:
    """Twice: some readers of such reports show the message, others the text."""
    ElementTree.SubElement(case, what, attributes | {"message": message}).text = message


def github(plan: AnyPlan) -> str:
    """Workflow commands, a line each: what blocks is an error, what asks for a person a warning, the headline a notice."""
    return "".join(f"{line}\n" for line in _commands(plan))


def _commands(plan: AnyPlan) -> Iterator[str]:
    about = f"Plan {plan.plan_id} for {plan.basis.group_id}: {ASSESSMENTS[plan.assessment]}"
    yield _command("notice", about, plan.headline)
    yield from _at_most("error", [("Blocked", reason) for reason in plan.blocked_by])
    to_see = [
        one for one in _rules(plan) if one.status is not RuleStatus.PASS and not (one.status is RuleStatus.FAIL and one.blocking)
    ]
    yield from _at_most("warning", [(f"{rule.name}: {CHECKED[rule.status]}", _said(rule)) for rule in to_see])
    if plan.wrong_if:
        yield _command("notice", *condition_words.labelled(plan))


def _at_most(kind: str, annotations: list[tuple[str, str]]) -> Iterator[str]:
    """As many (title, text) as GitHub shows; the last says what else there is."""
    fit = len(annotations) if len(annotations) <= MOST_OF_A_KIND else MOST_OF_A_KIND - 1
    for title, text in annotations[:fit]:
        yield _command(kind, title, text)
    if rest := annotations[fit:]:
        yield _command(kind, f"{len(rest)} more", f"See the whole plan: {'; '.join(f'{title}, {text}' for title, text in rest)}")


def _command(kind: str, title: str, text: str) -> str:
    return f"::{kind} title={_escaped(_line(title), _PROPERTIES)}::{_escaped(_line(text), _COMMANDS)}"


def _escaped(text: str, signs: dict[str, str]) -> str:
    return re.sub("[%\r\n:,]", lambda sign: signs.get(sign[0], sign[0]), text)


def _rules(plan: AnyPlan) -> tuple[Rule, ...]:
    option = plan.recommended_option
    return () if option is None else option.rules


def _said(rule: Rule) -> str:
    return _line(f"{rule.found}; limit {rule.limit}")


def _line(text: str) -> str:
    return printable(text, LONGEST)
