"""Is a plan that was written before its facts were kept next to the sentences read, shown and written as it was?"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.harness.plain_groups import change, group, member
from tests.harness.plans import NOON, article_plan

from holdfast.rollout.consumer.plan import review as consumer_review
from holdfast.rollout.consumer.plan.json import consumer_plan_from_json, consumer_plan_to_json
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.former_names import PLAN_VERSION, PRESENT, present_plan
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document, approval
from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan import review as streams_review
from holdfast.rollout.text.document_blocks import to_markdown
from holdfast.workflows import plan as planning

FACTS = ("invalid_if", "assumptions", "offset_warnings", "reason", "blocked", "refusal", "unknown_inputs")

RECORDED = Path(__file__).parents[2] / "recorded" / "plans.jsonl"
"""Plans and their summaries as Holdfast wrote them on 2026-11-22, before policy checks held facts."""


@pytest.mark.parametrize("line", RECORDED.read_text().splitlines(), ids=lambda line: json.loads(line)["name"])
def test_a_recorded_plan(line: str) -> None:
    """It is read, shows the same text, and is approved by the same digest."""
    recorded = json.loads(line)
    plan = any_document.plan_from_json(recorded["plan"])

    assert json.loads(dumps(any_document.plan_to_json(plan))) == recorded["plan"]
    assert approval.fingerprint(plan) == fingerprint(recorded["plan"])
    assert json.loads(dumps(SUMMARY.write(summary(plan)))) == recorded["summary"]
    assert SUMMARY.read(recorded["summary"]) == summary(plan)
    assert not {one.name for one in (*plan.candidates, *plan.rules)} & {*PRESENT}
    assert not {*plan.policy.blocking, *(check.check for check in plan.blocked)} & {*PRESENT}


def test_a_former_plan_is_only_what_says_so() -> None:
    """What a person called like a former name keeps its name."""
    plan = article_plan()
    document = json.loads(dumps(plan_json.plan_to_json(plan)))
    assert document["format_version"] == PLAN_VERSION
    assert json.loads(dumps(present_plan(document | {"chosen": "plainly"})))["chosen"] == "plainly"
    older: Any = present_plan({"format_version": "1.0", "chosen": "plainly", "basis": {"group_id": "plainly"}, "rules": "?"})
    assert older == {"format_version": "1.0", "chosen": "baseline", "basis": {"group_id": "plainly"}, "rules": "?"}


def before(document: dict[str, object]) -> dict[str, Any]:
    """The document as it was written without facts, with the digest of that."""
    older = json.loads(dumps(document))
    for part in (older, *older["candidates"]):
        for name in FACTS:
            part.pop(name, None)
    content = {key: value for key, value in older.items() if key != "plan_id"}
    return content | {"plan_id": hashlib.sha256(dumps(content).encode()).hexdigest()[:16]}


def test_a_plan_of_a_streams_group() -> None:
    now = plan_json.plan_to_json(article_plan())
    older = before(now)
    read = plan_json.plan_from_json(older)

    assert set(FACTS) & set(now) == {"invalid_if", "assumptions", "unknown_inputs"}
    assert json.loads(dumps(plan_json.plan_to_json(read))) == older
    assert "**Condition of the forecast:** the new client starts with" in to_markdown(streams_review.review(read))


def test_a_plan_of_a_consumer_group() -> None:
    lost = [{"id": 0, "begin_offset": 0, "end_offset": 9}, *({"id": number, "committed_offset": 0} for number in range(1, 6))]
    lost[0]["committed_offset"] = None
    snapshot = group({"a": member(0, 1, 2), "b": member(3, 4, 5)}, topics={"orders": {"partitions": lost}})
    event = {"restart_consumer": {"member_id": "a", "new_member_id": "a2"}}
    plan = planning.make_from(("s", snapshot), ("c", change(event)), Policy(), NOON)
    now = consumer_plan_to_json(plan)  # type: ignore[arg-type]
    older = before(now)
    read = consumer_plan_from_json(older)
    shown = to_markdown(consumer_review.review(read))

    assert "offset_warnings" in json.dumps(now)
    assert json.loads(dumps(consumer_plan_to_json(read))) == older
    assert ": WARNING, needs review" in shown
    assert "SKIPS DATA: 1 partition (orders-0)" in shown
