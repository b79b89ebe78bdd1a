"""A verdict depends on the evidence of each step: nothing done, half done and done are distinguished, whatever is changed."""

import copy
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, B, C, Document, altered, client, group
from tests.harness.plans import REPLACE_FIRST, planned, read

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution import evidence
from holdfast.rollout.streams.execution.verdict import VERDICT
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.plan.plan import Plan

BASELINE_ONLY = Policy(
    exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first")
)
SETTINGS = {"set_config": {"max.warmup.replicas": 6}}
RELEASE = {"set_release": {"kafka_release": "3.9.1"}}
STANDBYS = {"set_config": {"num.standby.replicas": 1}}
ROLLING = {"rolling_restart": {}}
EVERYTHING = {
    "settings": [SETTINGS],
    "two settings together": [{"set_config": {"max.warmup.replicas": 6, "acceptable.recovery.lag": 9}}],
    "a release": [RELEASE],
    "standbys": [STANDBYS],
    "a rolling restart": [ROLLING],
    "one restart": [{"restart_client": {"process_id": A}}],
    "a restart without its state": [{"restart_client": {"process_id": A, "keeps_state": False}}],
    "a restart under another ID": [{"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": None}}],
    "more threads": [{"set_threads": {"process_id": A, "threads": 3}}],
    "a client more": [{"add_client": {"process_id": None, "threads": 2}}],
    "a client less": [{"remove_client": {"process_id": B}}],
    "a replacement": [REPLACE_FIRST],
    "its own ID again": [{"replace_client": {"process_id": C, "by": {"process_id": C, "threads": 2}, "state": "empty"}}],
    "more partitions": [{"add_partitions": {"topic": "input", "partitions": 8}}],
    "a break": [{"stop_application": {"minutes": 30}}],
}


def anew(document: Document, *process_ids: str, times: int = 1) -> Document:
    """These clients have restarted: other member IDs, all else as it was."""
    found = copy.deepcopy(document)
    for process_id in process_ids:
        consumers = found["clients"][process_id]["consumers"]
        found["clients"][process_id]["consumers"] = {
            member.replace("0f6d8a3e-0000", f"{times:08x}-aaaa"): consumer for member, consumer in consumers.items()
        }
    return found


def static(document: Document) -> Document:
    found = copy.deepcopy(document)
    for process_id, one in found["clients"].items():
        for number, consumer in enumerate(one["consumers"].values(), start=1):
            consumer["group_instance_id"] = f"{process_id[:4]}-{number}"
    return found


def with_standbys(document: Document, copies: dict[str, Sequence[str]], versions: int | None = None) -> Document:
    """`copies`: the standby tasks of each client, on its first thread."""
    found = copy.deepcopy(document)
    for process_id, one in found["clients"].items():
        for number, consumer in enumerate(one["consumers"].values()):
            consumer["assigned"] = {"active": [], "standby": list(copies.get(process_id, ())) if number == 0 else []}
            if versions is not None:
                consumer["last_join"] = {"owned": [], "task_offset_sums": {}, "metadata_version": versions}
                consumer["metadata_version"] = versions
    return found


def shown(plan: Plan, document: Document) -> list[Shown]:
    return [one.evidence.shown for one in evidence.of_plan(plan, read(document))]


DYNAMIC_ONLY = ("more threads", "a client more", "a replacement", "its own ID again")
"""Whose options roll a setting out over members that are not there yet."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "is_static"),
    [(what, is_static) for what in EVERYTHING for is_static in (False, True) if not (is_static and what in DYNAMIC_ONLY)],
)
def test_the_very_snapshot_that_the_plan_was_made_from_is_never_as_forecast(what: str, is_static: bool) -> None:
    document = group(AFTER, "3.9.1" if what == "more threads" else "2.7.2")
    document = static(document) if is_static else document
    plan = planned(document, *EVERYTHING[what])
    verdict = verify(plan, read(document))

    assert plan.recommended_option is not None
    assert verdict.result is Result.NOT_YET
    assert verdict.differences
    assert Shown.NOT_YET in [one.evidence.shown for one in verdict.steps]


@pytest.mark.parametrize("document", [group(AFTER), static(group(AFTER))], ids=["dynamic", "static"])
@pytest.mark.parametrize(
    "event", [SETTINGS, ROLLING, {"stop_application": {"minutes": 30}}], ids=["settings", "restarts", "a break"]
)
def test_a_roll_out_is_over_when_every_client_has_restarted(document: Document, event: object) -> None:
    plan = planned(document, event, policy=BASELINE_ONLY)
    results = [verify(plan, read(anew(document, *some))).result for some in ((), (A,), (A, B), (A, B, C))]

    assert results == [Result.NOT_YET, Result.NOT_YET, Result.NOT_YET, Result.AS_FORECAST]


@pytest.mark.thorough
def test_what_is_missing_is_named() -> None:
    plan = planned(group(AFTER), SETTINGS)
    (first, *_) = verify(plan, read(anew(group(AFTER), B))).differences

    assert first == f"Step 1 not yet: 1 of 3 clients restarted (new member IDs); not yet: {C} {A}."


@pytest.mark.thorough
def test_a_client_with_a_thread_missing_is_not_back() -> None:
    plan = planned(group(AFTER), SETTINGS)
    document = anew(group(AFTER), A, B, C)
    consumers = document["clients"][B]["consumers"]
    del consumers[next(iter(consumers))]

    assert verify(plan, read(document)).result is Result.NOT_YET


@pytest.mark.thorough
def test_one_thread_that_rejoined_is_no_restart() -> None:
    plan = planned(group(AFTER), ROLLING)
    document = group(AFTER)
    members = document["clients"][A]["consumers"]
    members["other"] = members.pop(next(iter(members)))

    assert shown(plan, document)[0] is Shown.NOT_YET


@pytest.mark.parametrize(("version", "result"), [(7, Result.NOT_YET), (11, Result.AS_FORECAST)])
def test_a_release_shows_in_what_the_members_write(version: int, result: Result) -> None:
    """2.7.2 writes version 8, 3.9.1 writes 11."""
    plan = planned(with_standbys(group(AFTER), {}, 8), RELEASE)
    after = altered(with_standbys(anew(group(AFTER), A, B, C), {}, version), ["kafka_release"], "3.9.1")

    assert verify(plan, read(after)).result is result


BARE = with_standbys(group(AFTER), {})
ROLLED = anew(group(AFTER, config={"num.standby.replicas": 1}), A, B, C)


@pytest.fixture(scope="module")
def standbys() -> Plan:
    return planned(BARE, STANDBYS)


def end_of(plan: Plan) -> dict[str, list[str]]:
    """The standby tasks of each client in the forecast's end."""
    assert plan.recommended_option is not None
    return {str(one.process_id): [str(task) for task in one.standby] for one in plan.recommended_option.costs[0].end}


class TestStandbys:
    @pytest.mark.thorough
    def test_where_they_are_to_be_is_as_forecast(self, standbys: Plan) -> None:
        verdict = verify(standbys, read(with_standbys(ROLLED, end_of(standbys))))

        assert verdict.result is Result.AS_FORECAST
        assert len(verdict.standbys) == 6
        assert VERDICT.write(verdict)["standbys"]["1_0"]["expected"]  # type: ignore[index]

    def test_none_is_not_yet(self, standbys: Plan) -> None:
        verdict = verify(standbys, read(with_standbys(ROLLED, {})))

        assert verdict.result is Result.NOT_YET
        assert "0 of 6 standby copies are there" in verdict.differences[0]

    def test_elsewhere_is_different(self, standbys: Plan) -> None:
        first, *others = end_of(standbys).values()
        moved = dict(zip(end_of(standbys), (*others, first), strict=True))
        verdict = verify(standbys, read(with_standbys(ROLLED, moved)))

        assert verdict.result is Result.DIFFERENT
        assert any("Standby copies of task" in one for one in verdict.differences)

    def test_of_static_members_they_come_with_the_next_rebalance(self, standbys: Plan) -> None:
        (first, *_) = verify(standbys, read(with_standbys(static(ROLLED), {}))).differences

        assert "They come with the group's next rebalance" in first


class TestTwoRolls:
    """A setting for the window, and back: the second roll shows in recorded rebalances only."""

    PLAN = planned(group(AFTER), SETTINGS, {"then": "stable"}, {"set_config": {"max.warmup.replicas": 2}})

    def test_the_first_roll_is_not_the_second(self) -> None:
        found = shown(self.PLAN, anew(group(AFTER), A, B, C))

        assert found[:2] == [Shown.HAPPENED, Shown.HAPPENED]
        assert found[2] is Shown.CANNOT_SHOW

    def test_nothing_shows_of_either_before(self) -> None:
        assert shown(self.PLAN, group(AFTER))[0] is Shown.NOT_YET
        assert shown(self.PLAN, group(AFTER))[2] is Shown.NOT_YET


def test_a_client_with_other_threads_than_planned_contradicts() -> None:
    newcomer = "00000000-0000-4000-8000-000000000001"
    plan = planned(group(AFTER), {"add_client": {"process_id": newcomer, "threads": 1}}, policy=BASELINE_ONLY)
    came = altered(group(AFTER), ["clients", newcomer], client(newcomer, ((), ())))
    verdict = verify(plan, read(came))

    assert verdict.result is Result.DIFFERENT
    assert verdict.differences[0].endswith(f"contradicted: {newcomer} has 2 stream threads, the plan has 1.")


def test_a_verdict_says_what_shows_each_step() -> None:
    plan = planned(group(AFTER), SETTINGS)
    document = VERDICT.write(verify(plan, read(anew(group(AFTER), A, B, C))))

    assert document["steps"] == [
        {
            "step": "1",
            "what": "roll out max.warmup.replicas = 6",
            "shown": "happened",
            "evidence": "Every client has restarted (new member IDs); no broker shows with which max.warmup.replicas.",
            "seen": {"kind": "setting", "of": "max.warmup.replicas"},
        },
        {
            "step": "2",
            "what": "wait until the group is stable",
            "shown": "happened",
            "evidence": "The group is stable.",
            "seen": {"kind": "stable"},
        },
    ]


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1", "4.3.1"])
def test_a_static_member_that_returned_in_time_is_seen_in_the_same_generation(release: str) -> None:
    """Recorded from a broker: the same instance IDs, other member IDs, no rebalance."""
    recorded = Path(__file__).resolve().parents[3] / "recorded" / "static-return.json"
    before, after = json.loads(recorded.read_text())[release]
    plan = planned(before, {"restart_client": {"process_id": A, "within_session": True}}, policy=BASELINE_ONLY)
    began = evidence.sighting(read(before))

    assert began.generation == evidence.generation_of(read(after)) == 2
    assert evidence.restarted(plan.steps[0], plan, read(before), began).shown is Shown.NOT_YET
    assert evidence.restarted(plan.steps[0], plan, read(after), evidence.sighting(read(before), (ProcessId.parse(A),))).shown is (
        Shown.HAPPENED
    )
    assert not evidence.same_generation(began, read(after))
    assert [verify(plan, read(one)).result for one in (before, after)] == [Result.NOT_YET, Result.AS_FORECAST]
    assert len(verify(plan, read(after)).tasks) == 12
