"""What continuous integration reads of a plan, and what plan.md folds away: can no name break out of it?"""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from tests.harness import plain_groups
from tests.harness.article import AFTER, LAST, C, altered, group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, planned

from holdfast.rollout.contract.assessment import RuleStatus
from holdfast.rollout.kinds import ci
from holdfast.rollout.kinds.any_document import AnyPlan
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.text import document_blocks
from holdfast.rollout.text.document_blocks import Heading, Paragraph, Table
from holdfast.workflows import plan as planning
from holdfast.workflows import plan as workflow

HOSTILE = "x\n::error title=a::b\r%0A]]><failure/>\u202e</details><script>"
WARNED = Policy(disk_free_bytes_least=10**15, rebalances_most=0)
"""Unknown, and over the limit; neither blocks."""


def blocked() -> Plan:
    return planned(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST)


def hostile() -> Plan:
    document = group(AFTER)
    document |= {"cluster": HOSTILE}
    document["clients"][C]["host"] = HOSTILE
    return planned(document, {"replace_client": {"process_id": C, "by": {"process_id": LAST, "threads": 2, "host": HOSTILE}}})


def plain() -> AnyPlan:
    consumers = {f"m-{number}": plain_groups.member(2 * number, 2 * number + 1) for number in range(3)}
    change = plain_groups.change({"remove_consumer": {"member_id": "m-1"}})
    return planning.make_from(("s", plain_groups.group(consumers, cluster="local")), ("c", change), Policy(), NOON)


def report(plan: AnyPlan) -> ElementTree.Element:
    return ElementTree.fromstring(ci.junit(plan, workflow.blocks(plan)).encode())


def commands(plan: AnyPlan) -> list[str]:
    lines = ci.github(plan).splitlines()
    assert all(re.match(r"::(notice|warning|error) title=[^:,]+::.", line) for line in lines)
    return lines


class TestJunit:
    @pytest.mark.parametrize(
        "plan", [article_plan(), article_plan(WARNED), blocked(), hostile(), plain()], ids=lambda plan: plan.plan_id
    )
    def test_counts_what_it_holds(self, plan: AnyPlan) -> None:
        suite = report(plan)

        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
        assert suite.find("properties/property[@name='plan_id']").get("value") == plan.plan_id

    def test_a_safe_plan_passes(self) -> None:
        suite = report(article_plan())

        assert (suite.get("failures"), suite.get("skipped")) == ("0", "0")
        assert "0 of 6 stateful tasks migrate" in suite.findtext("system-out", "")

    def test_each_rule_says_what_was_found(self) -> None:
        plan = article_plan(WARNED)
        suite = report(plan)
        states = {rule.name: rule.status for rule in plan.rules}

        assert {RuleStatus.UNKNOWN, RuleStatus.PASS} <= set(states.values())
        for name, status in states.items():
            case = suite.find(f"testcase[@name='{name}']")
            assert [child.tag for child in case] == {
                RuleStatus.PASS: [],
                RuleStatus.FAIL: ["failure"],
                RuleStatus.UNKNOWN: ["skipped"],
            }[status]
            assert all("; limit " in child.get("message", "") for child in case)

    def test_a_blocked_plan_says_why(self) -> None:
        (failure,) = report(blocked()).findall("testcase[@name='assessment']/failure")

        assert failure.get("message", "").startswith("Cannot predict")

    def test_hostile_names_stay_text(self) -> None:
        suite = report(hostile())

        assert "]]><failure/>\\u202e" in suite.get("name", "")
        assert suite.get("failures") == "0"


class TestGithub:
    def test_a_safe_plan_is_a_notice(self) -> None:
        assert [line.split(" ")[0] for line in commands(article_plan())] == ["::notice", "::notice"]

    def test_what_asks_for_a_person_is_a_warning_and_what_blocks_an_error(self) -> None:
        assert any(line.startswith("::warning title=disk%3A unknown::") for line in commands(article_plan(WARNED)))
        assert any(line.startswith("::error title=Blocked::Cannot predict") for line in commands(blocked()))

    def test_no_name_is_a_command(self) -> None:
        for plan in (hostile(), replace(article_plan(), headline=HOSTILE, wrong_if=HOSTILE, blocked_by=(HOSTILE,))):
            for line in commands(plan):
                assert line.startswith(("::notice title=Plan", "::notice title=Invalid if", "::error title=Blocked"))
                assert "%0A" not in line.replace("%250A", "")

    def test_no_more_than_github_shows(self) -> None:
        """Ten of a kind; the tenth says what else there is."""
        for count, last in ((10, "reason 9"), (25, "See the whole plan: Blocked, reason 9; Blocked, reason 10")):
            plan = replace(article_plan(), blocked_by=tuple(f"reason {number}" for number in range(count)))
            errors = [line for line in commands(plan) if line.startswith("::error")]
            assert len(errors) == 10
            assert last in errors[-1]
        assert errors[-1].startswith("::error title=16 more::")

    def test_plain_groups_have_them_too(self) -> None:
        assert commands(plain())[0].startswith("::notice title=Plan ")


class TestComment:
    def test_is_the_whole_plan_where_that_fits(self) -> None:
        plan = article_plan()

        assert document_blocks.for_comment(workflow.blocks(plan), ci.LONGEST_COMMENT) == workflow.markdown(plan)

    @pytest.mark.parametrize("longest", [3_000, 4_000, 6_000])
    def test_says_what_it_leaves_out(self, longest: int) -> None:
        text = document_blocks.for_comment(workflow.blocks(article_plan()), longest)
        last = text.splitlines()[-1]

        assert len(text.encode()) <= longest
        assert text.startswith("# Plan ")
        assert last.startswith("The whole plan also has: ")
        assert last.endswith("Terms; Planned against.")
        assert "<details>" not in text

    @pytest.mark.parametrize("name", ["@everyone", "a@b.example", "#12", "o/r#12", "GH-12", ":tada:", "$x$ $y$"])
    def test_no_name_calls_anybody(self, name: str) -> None:
        """GitHub does that to the page after Markdown: escapes do not help, a comment inside the name does."""
        (line,) = document_blocks.to_markdown((Paragraph(f"host {name}"),), folded=True).splitlines()

        assert re.search(r"@\w|#\d|GH-\d|:tada|(?<!>)\$", line) is None
        assert re.sub(r"<!-- -->|</?span>", "", line) == f"host {name}"


class TestFolding:
    def test_hides_what_is_for_checking_and_nothing_that_decides(self) -> None:
        text = workflow.markdown(article_plan())
        open_parts = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)

        assert text.count("<details>") == text.count("</details>") > 2
        assert "<summary>Terms</summary>\n\n" in text
        assert all(f"## {title}" in open_parts for title in ("Steps", "Options compared", "Policy checks"))
        assert "Rebalance by rebalance" not in open_parts

    def test_is_closed_before_the_next_section_and_holds_long_tables(self) -> None:
        rows = tuple((str(number),) for number in range(13))
        table = Table(("n",), rows)
        blocks = (Heading(2, "A", aside=True), table, Heading(2, "B"), table, Heading(2, "C", aside=True), Paragraph("p"))
        text = document_blocks.to_markdown(blocks, folded=True)

        assert re.findall(r"</?details>|<summary>.*|## .*", text) == [
            "<details>", "<summary>A</summary>", "</details>", "## B",
            "<details>", "<summary>13 rows</summary>", "</details>", "<details>", "<summary>C</summary>", "</details>",
        ]  # fmt: skip

    def test_no_name_opens_or_closes_one(self) -> None:
        text = workflow.markdown(hostile())

        assert "<script" not in text.replace("\\<script", "")
        assert text.count("\n</details>\n") == text.count("<details>\n")
        assert document_blocks.to_markdown((Heading(2, "</summary><b>", aside=True),), folded=True).count("<b>") == 0
