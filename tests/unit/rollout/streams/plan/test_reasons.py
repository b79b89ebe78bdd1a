"""Why a plan is blocked or wants a person's look: the real cause, and what to do about it."""

import json
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, C, altered, change, group
from tests.harness.plans import planned, read

from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.contract.requests import request_from_form
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption
from holdfast.rollout.streams.cost.missing_inputs import Give, to_give
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.review import review
from holdfast.workflows.collecting.streams import settings

SOURCE = "repartition"


class TestBlocked:
    def test_says_why_the_group_does_not_become_stable(self) -> None:
        plan = planned(group(AFTER, "3.9.1"), {"add_partitions": {"topic": SOURCE, "partitions": 8}})

        assert plan.assessment is Assessment.BLOCKED
        assert "does not extend it" in plan.headline
        assert "yes is the limit" not in plan.headline
        (rule,) = [rule for rule in plan.rules if rule.name == "converges"]
        assert rule.found.startswith("no: The leader itself fails")
        assert plan.recommended_option is not None
        assert "does not extend it" in (plan.recommended_option.costs[0].unsettled or "")
        assert plan_json.plan_from_json(plan_json.plan_to_json(plan)) == plan


def test_new_tasks_are_in_the_placement() -> None:
    grown = {"add_partitions": {"topic": SOURCE, "partitions": 8, "changelogs_grown": True}}
    plan = planned(group(AFTER, "3.9.1"), grown)

    assert plan.recommended_option is not None
    among = plan.basis.stateful_among(task for end in plan.recommended_option.costs[0].end for task in end.active)
    assert {"1_6", "1_7"} <= {str(task) for task in among}
    assert not any(str(task).startswith("0_") for task in among)
    shown = " ".join(str(block) for block in review(plan))
    assert "1_6" in shown
    assert "1_7" in shown


def test_new_stateless_tasks_are_in_the_placement() -> None:
    example = json.loads((Path(__file__).parents[5] / "examples/streams-wordcount/snapshot.json").read_text())
    plan = planned(example, {"add_partitions": {"topic": "streams-plaintext-input", "partitions": 9}})

    shown = " ".join(str(block) for block in review(plan))
    assert all(task in shown for task in ("0_6", "0_7", "0_8", "1_5"))
    assert "0_5" not in shown, "where those that were there run costs nothing"


class TestEvidence:
    @pytest.mark.parametrize(
        ("what", "give"),
        [
            ("kafka_release", Give.RELEASE),
            ("config.max.warmup.replicas", Give.SETTINGS),
            ("task_assignor", Give.SETTINGS),
            ("tasks.1_*.changelogs", Give.CHANGELOGS),
            (f"clients.{A}.task_offset_sums", Give.DISKS),
            ("state_directories", Give.DISKS),
            ("leader_process_id", Give.GENERATIONS),
            ("forecast", Give.LOOK),
            ("something else", Give.LOOK),
        ],
    )
    def test_every_gap_says_what_to_give(self, what: str, give: Give) -> None:
        assert to_give([Unknown(what, "…"), Unknown(what, "…")]) == (give,)

    def test_the_rule_says_it(self) -> None:
        document = group(AFTER) | {"unknown": [{"what": "config.num.standby.replicas", "reason": "not given"}]}
        plan = planned(document, {"restart_client": {"process_id": C}})
        (rule,) = [rule for rule in plan.rules if rule.name == "evidence"]
        assert rule.found.startswith("1 unknown. Give the application's settings (--app-config or --set;")

    def test_it_travels(self) -> None:
        document = group(AFTER) | {"unknown": [{"what": "kafka_release", "reason": "not given"}]}
        (first, *_) = proposals.propose(read(document), change_from_json(change({"restart_client": {"process_id": C}})))
        found = proposals.evaluate(read(document), first)
        assert found.give == (Give.RELEASE,)
        assert codec_of(EvaluatedOption).read(codec_of(EvaluatedOption).write(found)) == found

    def test_several_releases_in_a_group_are_named(self) -> None:
        document = group(AFTER, "3.9.1")
        versions = iter((9, 11, 11))
        for client in document["clients"].values():
            version = next(versions)
            for consumer in client["consumers"].values():
                consumer["metadata_version"] = version
        plan = planned(document, {"restart_client": {"process_id": C}})

        assert any("metadata versions 9 (2.8.0 to 2.8.2) and 11 (" in one.text for one in plan.unknown)
        restart = change_from_json(change({"restart_client": {"process_id": C}}))
        assert any("several releases run in this group" in one.reason for one in forecast(read(document), restart).unknown)
        assert not any(
            "metadata versions" in one.text for one in planned(group(AFTER), {"restart_client": {"process_id": C}}).unknown
        )


class TestNothingIsAValue:
    def test_of_a_list(self) -> None:
        given = settings.read("app", "3.9.1", {"rack.aware.assignment.tags": ""}, {})

        assert dict(given.config)["rack.aware.assignment.tags"] == ()
        assert "config.rack.aware.assignment.tags" not in [one.what for one in given.unknown]
        assert (
            dict(settings.read("app", "3.9.1", {}, {"rack.aware.assignment.tags": " "}).config)["rack.aware.assignment.tags"] == ()
        )

    def test_in_a_form_too(self) -> None:
        form = {"what": "change settings", "settings": "rack.aware.assignment.tags=\nmax.warmup.replicas=3"}
        assert request_from_form(form).settings == (("max.warmup.replicas", 3), ("rack.aware.assignment.tags", ()))


def test_a_document_of_before_is_read() -> None:
    cost = plan_json.plan_to_json(planned(altered(group(AFTER), ["config"], {}), {"restart_client": {"process_id": C}}))
    assert "unsettled" not in str(cost)
