"""Documents that once ended in a traceback: each is refused by name, or was an ordinary request all along."""

import ast
from pathlib import Path
from typing import Any

import pytest
from tests.harness.article import AFTER, A, B, C, change, group
from tests.harness.plans import NOON, planned, read

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.json import fingerprints
from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.rollout.kinds.requested_change import refuse_misfit
from holdfast.rollout.kinds.score_json import SCORE
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast

PACKAGE = Path(fingerprints.__file__).parents[2]
RANDOM_ID = {"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": None}}
OF_SIX = {"tasks": 6, "tasks_as_forecast": 6}
VERDICT: dict[str, Any] = {
    "format_version": "1.0",
    "result": "as forecast",
    "score": OF_SIX,
    "observed_at": None,
    "differences": [],
}


@pytest.mark.parametrize("verb", ["set_topology", "add_client", "replace_client", "rolling_restart", "stop_application"])
@pytest.mark.parametrize("content", [{}, {"x": 1}, None, [], {"tasks": None}, {"tasks": {"0_0": {}}}])
def test_an_event_that_says_nothing(verb: str, content: object) -> None:
    if verb == "rolling_restart" and content == {}:
        return  # every field, one after the other
    with pytest.raises(InvalidInput):
        change_from_json(change({verb: content}))


@pytest.mark.thorough
@pytest.mark.parametrize("release", [None, "2.7.2"])
@pytest.mark.parametrize(
    "events",
    [
        [RANDOM_ID],
        [{"set_release": {"kafka_release": "2.8.2"}}, {"then": "stable"}, {"rolling_restart": {}}],
        [{"rolling_restart": {"kafka_release": "2.8.2"}}, {"then": "stable"}, RANDOM_ID],
        [{"rolling_restart": {"set_config": {"num.standby.replicas": 1}}}, {"rolling_restart": {}}],
        [{"remove_client": {"process_id": C, "leaves": False}}],
    ],
)
def test_ordinary_requests_for_a_group_of_any_release(release: str | None, events: list[object]) -> None:
    document = group(AFTER, release=release)
    refuse_misfit(read(document), change_from_json(change(*events)))
    made = planned(document, *events)

    assert all("unknown" in one or "Cannot predict" in one for one in made.blocked_by)


@pytest.mark.thorough
def test_very_many_ids_left_to_chance_are_counted_no_further_than_needed() -> None:
    added = [{"add_client": {"process_id": None, "threads": 1}}] * 10_000
    with pytest.raises(CannotPredict, match="10,000 random process IDs have more than"):
        forecast(read(group(AFTER)), change_from_json(change(*added)))


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z"]
)
def test_moments_that_nothing_can_be_reckoned_with(moment: str) -> None:
    with pytest.raises(InvalidInput):
        policy_from_json({"format_version": "1.0", "finish_before": moment})
    with pytest.raises(InvalidInput):
        read(group(AFTER) | {"captured_at": moment})
    with pytest.raises(InvalidInput):
        hours.deadline(moment, NOON)


@pytest.mark.parametrize("seconds", [2**31, 2**63 - 1, 10**25])
def test_a_validity_beyond_the_calendar(seconds: int) -> None:
    with pytest.raises(InvalidInput, match="valid_for_s"):
        policy_from_json({"format_version": "1.0", "valid_for_s": seconds})


@pytest.mark.parametrize("timeout", ["9" * 400, "٣", 2**31, 0, -1, True, "45 s"])
def test_a_session_timeout_that_kafka_would_not_take(timeout: object) -> None:
    document = group(AFTER, config={"session.timeout.ms": timeout})
    if timeout == "٣":
        timeout = "3"
    try:
        made = planned(document, {"replace_client": {"process_id": C, "by": {"process_id": B[:-1] + "f"}}})
    except InvalidInput:
        return
    assert timeout == "3", made.headline


@pytest.mark.parametrize("broken", [{"score": None}, {"score": {}}, {"score": {"tasks": 6}}, {"score": 1}, {"differences": 1}])
def test_a_kept_verdict_that_is_none(broken: dict[str, object]) -> None:
    assert SCORE.read(VERDICT).tasks == 6
    with pytest.raises(InvalidInput):
        SCORE.read(VERDICT | broken)
    with pytest.raises(InvalidInput, match="'score' is missing"):
        SCORE.read({key: value for key, value in VERDICT.items() if key != "score"})


@pytest.mark.thorough
@pytest.mark.parametrize("field", ["moved", "stateful_tasks", "without_copy", "cold_tasks", "records", "to_stable", "bytes"])
@pytest.mark.parametrize("wrong", ["6", -1, 0.5, [], {}])
def test_a_kept_summary_whose_figures_are_none(field: str, wrong: object) -> None:
    document = SUMMARY.write(summary(planned(group(AFTER), {"remove_client": {"process_id": C}})))
    with pytest.raises(InvalidInput, match=rf"figures\.{field}"):
        SUMMARY.read(document | {"figures": document["figures"] | {field: wrong}})  # type: ignore[operator]


def _readers() -> list[tuple[str, ast.FunctionDef]]:
    return [
        (f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}", node)
        for path in sorted(PACKAGE.rglob("*.py"))
        if "Fields(" in (source := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and any(_name(call) == "Fields" for call in _calls(node))
    ]


def _calls(node: ast.AST) -> list[ast.Call]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Call)]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_every_reader_of_an_object_says_in_the_end_what_was_wrong() -> None:
    """`Fields.need` gives None for what is wrong until `finish` raises it: a reader that forgets to lets None through. (A record
    has no such reader: it raises what is wrong before it makes the value.)"""
    readers = _readers()
    forgetful = [place for place, node in readers if not any(_name(call) == "finish" for call in _calls(node))]

    assert readers, "none is left: this test has nothing to hold any more"
    assert forgetful == []
