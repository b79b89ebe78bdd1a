"""What a run of Holdfast's DAGs may do for a group that belongs to a team: who triggers it, who approves, who is notified."""

import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from tests.dags.conftest import PLAIN_FORM, decided, question
from tests.dags.test_decisions import answer
from tests.dags.test_notifiers import Heard, notify

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning, rollouts
from holdfast.airflow_wiring.teams import alerts, document
from holdfast.airflow_wiring.teams.rights import NotTheirs, OfAnotherTeam
from holdfast.errors import InvalidInput
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.tables.fleet_findings import Findings
from holdfast.rollout.teams.teams import Teams
from holdfast.workflows import plan as plans

GROUP = {"cluster": "local", "group": "streams-*"}


def teams(*found: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"format_version": "1.0", "teams": list(found), **more}


def team(
    name: str = "words", groups: Any = (GROUP,), users: Any = ("ann",), approvers: Any = ("7",), **more: Any
) -> dict[str, Any]:
    return {"name": name, "groups": list(groups), "members": {"users": ["ann"]}, "approvers": list(approvers)} | more


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda *found, **more: monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_TEAMS", json.dumps(teams(*found, **more)))


class TestWhoRequests:
    def test_is_a_member_by_name(self, deploy: Any, make: Any) -> None:
        deploy(team())
        assert make(requested_by="ann")

    @pytest.mark.parametrize("user", ["bob", "Words", "7", None])
    def test_is_no_other_user_and_no_run_without_one(self, deploy: Any, make: Any, lake: FsspecLake, user: str | None) -> None:
        """Nor an approver's ID as a name. Nothing is read or written before."""
        deploy(team(members={"users": ["ann"], "roles": ["Words"]}))

        with pytest.raises(NotTheirs):
            make(requested_by=user)
        assert list(lake.names(("drafts",))) == []

    @pytest.mark.usefixtures("lake")
    def test_is_refused_alike_for_groups_that_there_are_and_are_not(self, deploy: Any) -> None:
        deploy(team(groups=[{"cluster": "local", "group": "other"}]), all_groups={"users": ["root"]})
        says = []
        for group in ("streams-wordcount", "no-such-group"):
            for user in ("ann", "root"):
                with pytest.raises(NotTheirs) as refusal:
                    planning.draft(f"{group} {user}", PLAIN_FORM | {"group": group}, user)
                says.append(str(refusal.value).replace(group, "_"))
        assert says[:2] == says[2:]

    def test_of_apply_and_verify_is_looked_at_whenever_they_begin(self, deploy: Any, make: Any) -> None:
        plan_id, _ = make()
        deploy(team())
        by_hand, by_event = {"plan_id": plan_id, "snapshot": None}, {"plan_id": None, "snapshot": None}

        for refused in (lambda: rollouts.refuse_by_team(plan_id, by_hand, "bob"), lambda: rollouts.verify(plan_id, by_hand, "bob")):
            with pytest.raises(NotTheirs, match=f"bob is not a member.*the group of plan {plan_id} belongs to") as refusal:
                refused()
            assert "wordcount" not in str(refusal.value), "only the plan's ID was given"
        rollouts.refuse_by_team(plan_id, by_hand, "ann")
        rollouts.refuse_by_team(plan_id, by_event, None)


class TestWhoDecides:
    def test_are_the_team_s_approvers_and_the_variable_is_not_used(
        self, deploy: Any, make: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["bob"]')
        deploy(team(), team("others", [{"cluster": "*", "group": "*"}], approvers=["8"]))

        assert question(*make()).approvers == ("7",)

    def test_four_eyes_of_the_team_are_in_every_plan(self, deploy: Any, make: Any, lake: FsspecLake) -> None:
        deploy(team(four_eyes=True))
        plan = plans.load(lake, make({"format_version": "1.0", "four_eyes": False})[0])

        assert plan.policy.four_eyes
        with pytest.raises(decisions.SameEyes):
            decided(plan.plan_id, answer("Approve", plan, by="ann"))

    @pytest.mark.parametrize(
        ("later", "says"),
        [
            ([team("others", approvers=["8"])], "not an approver of team others"),
            ([team(four_eyes=True)], "requires four eyes"),
            ([team(groups=[{"cluster": "local", "group": "x"}])], "belongs to no team"),
        ],
    )
    def test_an_approval_counts_for_the_team_that_has_the_group_then(
        self, deploy: Any, make: Any, lake: FsspecLake, later: list[dict[str, Any]], says: str
    ) -> None:
        """When it is recorded, and when the plan is applied. A rejection always counts."""
        deploy(team())
        plan_id, run_id = make()
        plan = plans.load(lake, plan_id)
        question(plan_id, run_id)
        deploy(*later)
        with pytest.raises(decisions.NoLongerHolds, match=says):
            decided(plan.plan_id, answer("Approve", plan))
        assert plans.approval_of(lake, plan.plan_id) is None

        deploy(team())
        decided(plan.plan_id, answer("Approve", plan))
        deploy(*later)
        with pytest.raises(OfAnotherTeam, match=says):
            rollouts.refuse_by_team(plan.plan_id, {"plan_id": None}, None)

    def test_a_rejection_counts_for_any_team(self, deploy: Any, make: Any, lake: FsspecLake) -> None:
        deploy(team())
        plan_id, run_id = make()
        plan = plans.load(lake, plan_id)
        question(plan_id, run_id)
        deploy(team("others", approvers=["8"]))
        with pytest.raises(AirflowSkipException):
            decided(plan.plan_id, answer("Reject", plan))


class TestNotifications:
    def test_of_reviews_go_to_the_team_alone(self, deploy: Any, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "team", SimpleNamespace(Heard=Heard))
        heard = [{"notifier": "team.Heard", "with": {"message": name}} for name in ("all", "words")]
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", json.dumps(heard[:1]))
        said = []
        for own in (heard[1:], [], None):
            Heard.said.clear()
            deploy(team(review_notifiers=own))
            notify(*make())
            said.append([*Heard.said])
        assert said == [["words"], [], ["all"]]

    def test_of_the_fleet_are_divided_by_group(self) -> None:
        """What is about no group, and what no team with notifiers has, is in the general channel; no count is of another's."""
        names = [f"{name}-{number}" for name in "ab" for number in range(11)]
        rows = [{"cluster": "local", "group_id": name, "moved_between_survivors": 1} for name in names]
        host = {"cluster": "local", "host": "shared", "without_copy": 3}
        found = Findings("2026-11-20", new_order_changes=tuple(rows), new_hosts=(host,))
        a = {"cluster": "local", "group": "a-*"}
        known = codec_of(Teams).read(teams(team("a", [a], notifiers=[]), team("b", [a | {"group": "b-*"}])))

        channels = alerts.of(found, known)
        assert list(channels) == [alerts.GENERAL, "a"]
        assert [len(one) for one in channels.values()] == [12, 11]
        assert all(line.startswith(("a-", "and 1 more change")) for line in channels["a"])
        assert not any(line.startswith("a-") for line in channels[alerts.GENERAL])


class TestTheVariable:
    @pytest.mark.parametrize(
        ("text", "setting", "says"),
        [
            ("", "", "holdfast_teams is not valid"),
            ("{}", "", "the field 'teams' is missing"),
            ("teams: [", "", "not YAML"),
            (None, "required", "gives no variable holdfast_teams"),
            (None, "yes", "'required', or nothing, is needed"),
        ],
    )
    def test_that_is_not_valid_or_missing_where_it_must_be(self, text: str | None, setting: str, says: str) -> None:
        with pytest.raises(InvalidInput, match=says):
            document.teams_in(text, setting)

    def test_is_yaml_or_json_and_may_be_missing(self) -> None:
        assert document.teams_in(None, "") is None
        assert document.teams_in("format_version: 1.0\nteams: []", "required") == document.teams_in(json.dumps(teams()), "")
