"""What the page of a plan says: the four figures, the options in order, the rounds, and how old everything is."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.harness.article import AFTER, C, group
from tests.harness.plans import NOON, article_plan, measured, planned

from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import duration
from holdfast.rollout.timing.time_words import usually
from holdfast.web.kinds.streams.plan_view import view
from holdfast.web.parts.plan_view import ago, compact, figures_of
from holdfast.web.plan.chart_data import timeline_data

REMOVE = {"remove_client": {"process_id": C}}


def test_the_figures_against_the_baseline() -> None:
    plan = article_plan()
    found, shown = view(plan, NOON).figures, summary(plan)
    assert shown.figures is not None
    assert shown.figures.times is not None

    assert [one.against for one in found[:5]] == ["better", "same", "better", "better", "better"]
    assert [(found[at].value, found[at].baseline) for at in (0, 1, 4)] == [
        ("0", "6"),
        ("10 s", "10 s"),
        ("8 records", "26 records"),
    ]
    assert (found[2].value, found[2].detail) == (usually(shown.figures.times.rebalancing_ends), "7 s to 38 s")
    assert found[5].label == "Effort"
    assert (found[0].share, found[0].baseline_share) == (0, 1000)
    assert found[1].detail == "session timeout 10 s, restore under 1 s"


def test_a_task_stands_still_until_the_group_notices_and_until_it_is_restored() -> None:
    """The list, the page and the words of every option say the same."""
    plan = article_plan()
    shown = summary(plan)
    assert shown.figures is not None
    assert (shown.figures.stands_still, shown.figures.noticed) == (10, 10)
    copied = next(one for one in view(plan, NOON).options if one.name == "copy-state-directory")

    assert copied.cells[1][0] == "10 s", "a caught-up copy takes over once the client is missed"
    assert {one.cells[1][0] for one in view(plan, NOON).options if one.cells and one.fate != "reference"} == {"10 s", "30 s"}


def test_bytes_are_said_where_they_were_measured() -> None:
    plan = planned(measured(group(AFTER)), REMOVE)

    assert view(plan, NOON).figures[4].value.endswith("KiB")


def test_without_another_way_nothing_is_compared() -> None:
    plan = planned(group(AFTER), REMOVE)

    assert plan.chosen == "baseline"
    assert {(one.baseline, one.against) for one in view(plan, NOON).figures} == {("", "")}
    assert [one.title for one in view(plan, NOON).pictures] == ["Recommended"]


def test_the_chosen_way_is_first_and_what_nobody_asked_for_last() -> None:
    options = view(article_plan(), NOON).options

    assert (options[0].fate, options[0].name) == ("recommended", "copy-process-metadata")
    assert options[-1].fate == "reference"
    assert not any("(" in one.why_not and "keeps" in one.why_not for one in options), "limits are listed one by one"


def test_both_ways_over_time() -> None:
    found = view(article_plan(), NOON)
    data = timeline_data(found)

    assert [(one.title, one.end) for one in found.timelines] == [("Recommended", 12), ("Baseline (no mitigation)", 142)]
    assert data["total"] == 6
    assert found.timelines[1].points[-1].so_far == 6


def test_a_plan_says_how_old_it_is_and_how_long_it_holds() -> None:
    plan = article_plan()
    later = view(plan, NOON + timedelta(seconds=plan.policy.valid_for_s + 60))

    assert (view(plan, NOON).age, view(plan, NOON).expired) == ("just now", False)
    assert later.expired
    assert later.valid == "1 min ago"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "just now"), (45, "45 s ago"), (135, "2 min ago"), (-3600, "in 1 h"), (200_000, "2 d 7 h ago")]
)
def test_ago(seconds: int, text: str) -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)

    assert ago(now, now - timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("count", "text"), [(8, "8"), (12_400, "12,400"), (1_238_000_000, "1.24 billion"), (4_000_000, "4 million")]
)
def test_compact(count: int, text: str) -> None:
    assert compact(count) == text


@pytest.mark.parametrize("events", [(REMOVE,), ({"set_config": {"max.warmup.replicas": 2}},)])
def test_a_summary_reads_back(events: tuple[object, ...]) -> None:
    one = summary(planned(group(AFTER), *events, policy=Policy()))

    assert SUMMARY.read(SUMMARY.write(one)) == one


def test_nothing_is_recommended_that_must_not_be_done() -> None:
    policy_that_blocks = Policy(
        exclude=("copy-process-metadata", "seed-process-id", "copy-state-directory"), blocking=("collateral-migration",)
    )
    found = view(article_plan(policy_that_blocks), NOON)

    assert found.option == "Blocked: make the change as requested"
    assert [one.title for one in found.pictures] == ["Least impact"]


def test_what_holds_only_under_a_condition_is_never_called_better() -> None:
    labels, details = ("Ends after",), ("",)

    assert figures_of(labels, details, [(1, "1 s")], [(9, "9 s")], certain=True)[0].against == "better"
    assert figures_of(labels, details, [(1, "1 s")], [(9, "9 s")], certain=False)[0].against == "unsure"
    assert figures_of(labels, details, [(9, "9 s")], [(1, "1 s")], certain=False)[0].against == "worse"


def test_the_chart_ends_when_the_figure_says() -> None:
    """One model of time, on the card and in the picture."""
    found = view(article_plan(), NOON)

    assert [one.end for one in found.timelines] == [one.points[-1].at for one in found.timelines]
    assert duration(found.timelines[-1].end) == found.figures[2].baseline
