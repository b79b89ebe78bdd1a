"""What the page of a consumer group's plan says, under the same heads as for Kafka Streams."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.harness.pages.web_lake import WebLake
from tests.harness.plain_groups import Document, change, group, member

from holdfast.rollout.consumer.plan.json import consumer_plan_from_json, consumer_plan_to_json, with_id
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.rollout.policy.policy import Policy
from holdfast.web.kinds.consumer.plan_view import view
from holdfast.web.parts.plan_view import PlanView
from holdfast.web.plans import PlanRow, PlanState
from holdfast.workflows import plan as planning

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
READ = [{"id": number, "begin_offset": 0, "end_offset": 100, "committed_offset": 90} for number in range(6)]
STATIC = {
    name: member(*owned, group_instance_id=f"i-{name}", host=f"h-{name}")
    for name, owned in {"a": (0, 1, 2), "b": (3, 4, 5)}.items()
}


def planned(consumers: dict[str, Document], *events: object, partitions: object = READ) -> ConsumerPlan:
    snapshot = group(consumers, topics={"orders": {"partitions": partitions}})
    return planning.make_from(("s", snapshot), ("c", change(*events)), Policy(), NOON)


def restarted() -> PlanView:
    events = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
    return view(planned(STATIC, *events), NOON)


def test_the_four_figures_against_doing_it_plainly() -> None:
    assert [(one.value, one.baseline, one.against) for one in restarted().figures] == [
        ("0", "2", "better"),
        ("none", "3 s", "better"),
        ("0", "1", "better"),
        ("none", "none", "same"),
    ]


def test_who_reads_what_and_who_comes_back() -> None:
    """A consumer that restarts is one row, under the ID that it gets."""
    recommended, baseline = restarted().pictures

    assert [(row.id, row.fate, row.count_now, row.count_then) for row in recommended.rows] == [
        ("a2", "anew", 3, 3),
        ("b2", "anew", 3, 3),
    ]
    assert recommended.rows[0].name == "i-a on h-a"
    assert recommended.says == "No partition moves."
    assert baseline.says == "2 of 6 partitions move: 2 whose consumer leaves."


def test_over_time_by_rebalance() -> None:
    (baseline,) = restarted().timelines

    assert [(one.at, one.so_far) for one in baseline.points] == [(1, 2)]
    assert baseline.rounds[0].cells == ("change", "3 s", "5 min", "2", "6", "0")


def test_ways_steps_and_limits_are_there_as_for_streams() -> None:
    found = restarted()

    assert [one.fate for one in found.options][:2] == ["recommended", "possible"]
    assert found.options[0].cells == (("0", 0), ("none", 0), ("0", 0), ("none", 0))
    assert found.review.steps[0].title == "Restart i-a on h-a, within its session timeout"
    assert found.review.why.startswith("Baseline: more downtime: ")
    assert found.rules_passed == len(found.review.rules)


def test_what_would_skip_data_is_a_warning_above_all() -> None:
    """The recommended option stays what is done."""
    lost = [one | {"committed_offset": None} for one in READ]
    event = {"replace_consumer": {"member_id": "a", "by": {"member_id": "x"}}}
    found = view(planned({"a": member(0, 1, 2), "b": member(3, 4, 5)}, event, partitions=lost), NOON)

    assert found.option == "Make the change as requested"
    assert found.warnings[0][0] == "SKIPS DATA"
    assert "SKIPS" not in found.effect


def test_the_list_of_plans_has_its_figures(tmp_path: Path) -> None:
    made = WebLake(tmp_path, NOON).plain_plan()
    brief = SUMMARY.read(SUMMARY.write(summary(made)))
    cells = PlanRow(brief, None, begun=False, score=None, state=PlanState.WAITING).cells

    assert brief == summary(made)
    assert cells is not None
    assert (cells.moved, cells.total, cells.still, cells.stable) == ("21", "24", "3 s", "14 s (2 s to 1 min 16 s)")


def test_a_plan_of_a_release_that_kept_no_course_is_read_and_shown() -> None:
    made = planned(STATIC, {"remove_consumer": {"member_id": "a"}})
    old = with_id(replace(made, candidates=tuple(replace(one, course=None, read_twice=None) for one in made.candidates)))
    written = consumer_plan_to_json(old)
    found = view(consumer_plan_from_json(written), NOON)

    assert "course" not in str(written)
    assert (found.pictures, found.timelines) == ((), ())
    assert found.figures[3].value == "unknown"
