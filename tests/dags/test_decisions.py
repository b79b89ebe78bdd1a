"""Who is asked about a plan, what exactly about, and what is kept of the answer: without a scheduler."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from tests.dags.conftest import decided, just_taken, policy, question

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, rollouts
from holdfast.airflow_wiring.airflow_objects import CHANGES
from holdfast.errors import InvalidInput, StalePlan, StepRefused
from holdfast.rollout.journal.journal import DecidedBy
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds import approval
from holdfast.rollout.policy.policy import Review
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import freshness
from holdfast.workflows import plan as plans

NOW = {"state_dirs": {}, "confirmed": []}
NOTHING = {"format_version": "1.0", "events": []}

pytestmark = pytest.mark.usefixtures("lake")


def answer(chosen: str, about: Plan, by: object = "vera", **params: object) -> dict[str, Any]:
    return {
        "chosen_options": [chosen],
        "params_input": params,
        "responded_at": datetime.now(UTC),
        "responded_by_user": {"id": "7", "name": by} if by else None,
        "plan_fingerprint": approval.fingerprint(about),
        "timed_out": by is None,
    }


class TestWhoDecides:
    @pytest.mark.parametrize(
        ("in_the_form", "of_the_team", "asks"),
        [
            (None, None, True),
            (policy(rebalances_most=12), None, True),
            (policy(review="always"), None, True),
            (policy(review="on a warning"), None, False),
            ("format_version: 1.0\nreview: never", None, False),
            (None, policy(review="never"), False),
            (policy(rebalances_most=12), policy(review="on a warning"), False),
            (policy(review="always"), policy(review="never"), True),
            (policy(review="on a warning"), policy(rebalances_most=12), True),
            (policy(review="on a warning", disk_free_bytes_least=10**15, blocking=[]), None, True),
        ],
        ids=str,
    )
    def test_is_the_policy_only_where_it_says_so_and_nothing_is_wrong(
        self, monkeypatch: pytest.MonkeyPatch, make: Any, in_the_form: object, of_the_team: object, asks: bool
    ) -> None:
        if of_the_team:
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(of_the_team))

        assert (question(*make(in_the_form)).answer is None) is asks

    def test_what_would_ask_a_person_is_blocked_where_nobody_is_there_to_ask(self, make: Any) -> None:
        with pytest.raises(AirflowSkipException, match="is blocked: no approver can approve it"):
            question(*make(policy(review="never", disk_free_bytes_least=10**15, blocking=[])))

    def test_the_policy_is_recorded_as_who_decided(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make(policy(review="on a warning"))
        decided(plan_id, question(plan_id, run).answer)

        kept = json.loads(lake.read(("plans", plan_id, "approval.json"), 10**6))
        assert (kept["approved"], kept["by"], kept["by_id"], kept["decided_by"]) == (True, "the policy", None, "policy")
        assert kept["plan_fingerprint"] == approval.fingerprint(plans.load(lake, plan_id))
        assert "on a warning" in kept["reason"]

    def test_a_team_s_policy_holds_where_the_form_has_none(
        self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, make: Any
    ) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", "format_version: 1.0\nrebalances_most: 3\nreview: always")

        assert plans.load(lake, make()[0]).policy.rebalances_most == 3
        assert plans.load(lake, make(policy(rebalances_most=2))[0]).policy.review is Review.ALWAYS

    @pytest.mark.parametrize(
        "looser",
        [
            policy(review="never", blocking=[], valid_for_s=604_800),
            policy(four_eyes=False),
            policy(rebalances_most=5, time_to_stable_s_most=1),
            "format_version: 1.0\nallow: [clear-state]",
            policy(restore_rate_source="policy"),
            policy(windows=[{"from": "05:00Z", "to": "06:00Z"}]),
        ],
        ids=str,
    )
    def test_a_form_cannot_loosen_what_the_team_has(
        self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, make: Any, looser: object
    ) -> None:
        team = policy(rebalances_most=3, review="always", four_eyes=True, windows=[{"from": "22:00Z", "to": "04:00Z"}])
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(team))

        with pytest.raises(InvalidInput, match=r"^policy: .*may only be stricter than the team.s policy"):
            make(looser)
        assert lake.names(("drafts",)) == ()

    @pytest.mark.usefixtures("recorded")
    def test_a_change_cannot_restore_faster_than_the_team_allows(
        self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, make: Any
    ) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(policy(restore_records_per_second=500)))
        faster = NOTHING | {"assume": {"catch_up": {"records_per_second": 1e12}}}

        with pytest.raises(InvalidInput, match=r"assume\.catch_up: the change assumes 1e\+12 records a second"):
            make(change=faster)
        assert lake.names(("drafts",)) == ()

    def test_four_eyes_are_wanted_where_anybody_says_so(self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
        assert not plans.load(lake, make(policy(four_eyes=False))[0]).policy.four_eyes
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(policy(rebalances_most=11)))
        assert plans.load(lake, make(policy(four_eyes=True))[0]).policy.four_eyes
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", json.dumps(policy(four_eyes=True)))
        assert plans.load(lake, make()[0]).policy.four_eyes

    def test_a_wrong_policy_of_the_team_is_named(self, monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_POLICY", "format_version: 1.0\nrebalances_mots: 3")

        with pytest.raises(InvalidInput, match=r"holdfast_policy.*rebalances_mots"):
            make()

    def test_only_approvers_are_asked(self, monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["ann", "bob"]')
        assert question(*make()).approvers == ("ann", "bob")

        for wrong in ('{"ann": 1}', "[", '["ann", 1]'):
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", wrong)
            with pytest.raises(InvalidInput, match="holdfast_approvers"):
                question(*make())

    def test_their_short_ids_are_no_secrets_of_airflow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It warned of them in the log of each turn of a run."""
        from airflow.sdk._shared.secrets_masker import SecretsMasker

        monkeypatch.setattr(SecretsMasker, "_has_warned_short_secret", False)
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["ann", "bob"]')

        assert decisions.approvers() == ("ann", "bob")
        assert not SecretsMasker._has_warned_short_secret


class TestTheQuestion:
    def test_shows_the_plan_and_what_is_approved(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make()
        plan = plans.load(lake, plan_id)
        lake.write(("plans", plan_id, "plan.md"), b"# Nothing will happen\n")

        asked = question(plan_id, run)
        assert plan_id in asked.subject
        assert approval.fingerprint(plan) in asked.body
        assert "Nothing will happen" not in asked.body
        assert "copy-process-metadata" in asked.body
        assert f"/holdfast/plans/{plan_id}" in asked.body

    def test_says_who_asked_and_who_may_approve(self, make: Any) -> None:
        assert "Requested by \\*ann\\*. [The" in question(*make(requested_by="*ann*")).body
        four_eyes = policy(four_eyes=True)
        assert "Requested by ann; another person must approve it. [The" in question(*make(four_eyes)).body
        assert "Requested by" not in question(*make(four_eyes, requested_by=None)).body

    def test_is_open_until_the_plan_may_not_be_applied_any_more(self, make: Any) -> None:
        assert timedelta(minutes=49) < question(*make(minutes_ago=10)).open_for <= timedelta(minutes=50)

    def test_fits_into_every_database(self, lake: FsspecLake, make: Any) -> None:
        plan = plans.load(lake, make()[0])
        assert len(decisions.shown(plan, "sha256:…").encode()) < 64 * 1024

        long = decisions.shown(plan, "sha256:…", longest=3_000)
        assert len(long.encode()) < 4_000

    def test_holds_what_is_needed_to_decide_and_whole_parts_of_it(self, lake: FsspecLake, make: Any) -> None:
        """Airflow has its form below the text; what is aside in plan.md is a click away."""
        plan = plans.load(lake, make()[0])
        everything = decisions.shown(plan, "sha256:…")
        assert "\n## Steps\n" in everything
        assert "\n## Terms\n" not in everything
        assert "Only on the plan's page: Rebalance by rebalance; " in everything.splitlines()[-4]
        assert everything.splitlines()[-1] == "`sha256:…`"

        cut = decisions.shown(plan, "sha256:…", longest=3_000)
        body, left_out = cut.rsplit("\n\n", 2)[:2]
        assert left_out.startswith("Only on the plan's page: Steps; ")
        assert body.splitlines()[-1].startswith("- **Rollback:**"), "a step is there whole, or not at all"

    def test_is_not_asked_where_there_is_nothing_to_do(self, make: Any) -> None:
        with pytest.raises(AirflowSkipException, match="requires no approval: nothing to do"):
            question(*make(change=NOTHING))

    def test_is_not_asked_where_the_decision_cannot_be_read(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make()
        lake.write(("plans", plan_id, "approval.json"), b'{"format_version": "1.0", "plan_id"')

        with pytest.raises(InvalidInput, match=f"plans/{plan_id}/approval.json: .*not JSON"):
            question(plan_id, run)

    def test_is_not_asked_about_an_edited_plan(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make()
        document = json.loads(lake.read(("plans", plan_id, "plan.json"), 10**8))
        lake.write(("plans", plan_id, "plan.json"), json.dumps(document | {"headline": "Nothing happens."}).encode())

        with pytest.raises(InvalidInput, match="edited after it was"):
            question(plan_id, run)


class TestTheRecord:
    @pytest.fixture
    def plan(self, lake: FsspecLake, make: Any) -> Plan:
        return plans.load(lake, make()[0])

    def test_says_who_when_and_why(self, lake: FsspecLake, plan: Plan) -> None:
        at = {"responded_at": "2026-11-20T15:00:00.25+01:00"}
        assert decided(plan.plan_id, answer("Approve", plan, reason=" fine ") | at) == plan.plan_id

        kept = plans.approval_of(lake, plan.plan_id)
        assert kept is not None
        assert (kept.plan_id, kept.approved, kept.by, kept.by_id, kept.reason, kept.at, kept.decided_by) == (
            plan.plan_id, True, "vera", "7", "fine", "2026-11-20T14:00:00Z", DecidedBy.PERSON,
        )  # fmt: skip
        assert kept.plan_fingerprint == approval.fingerprint(plan)

    def test_takes_a_form_sent_empty_as_no_reason(self, lake: FsspecLake, plan: Plan) -> None:
        with pytest.raises(AirflowSkipException, match="rejected by vera: no reason given"):
            decided(plan.plan_id, answer("Reject", plan))

        assert plans.approval_of(lake, plan.plan_id).reason == ""

    def test_keeps_a_rejection_which_stops_what_follows(self, lake: FsspecLake, plan: Plan) -> None:
        with pytest.raises(AirflowSkipException, match="rejected by vera: not today"):
            decided(plan.plan_id, answer("Reject", plan, reason="not today"))

        assert not plans.approval_of(lake, plan.plan_id).approved

    def test_keeps_a_request_for_changes_which_stops_what_follows(self, lake: FsspecLake, plan: Plan, recorded: str) -> None:
        """Neither approved nor rejected: the requester changes the request, according to the reason."""
        with pytest.raises(AirflowSkipException, match=r"vera requested changes to plan .*: two at a time, please"):
            decided(plan.plan_id, answer(CHANGES, plan, reason="two at a time, please"))

        kept = json.loads(lake.read(("plans", plan.plan_id, "approval.json"), 10**6))
        assert (kept["approved"], kept["changes_requested"], kept["reason"]) == (False, True, "two at a time, please")
        with pytest.raises(StepRefused, match=r"vera requested changes to plan .*: two at a time, please\. Change the request"):
            rollouts.apply(plan.plan_id, NOW | {"snapshot": just_taken(lake, recorded)}, "bob")
        with pytest.raises(InvalidInput, match="was sent back by 'vera'"):
            decided(plan.plan_id, answer("Reject", plan, reason="no"))

    @pytest.mark.parametrize("reason", [{}, {"reason": None}, {"reason": "  "}])
    def test_is_no_request_for_changes_that_does_not_say_which(
        self, lake: FsspecLake, plan: Plan, reason: dict[str, object]
    ) -> None:
        with pytest.raises(decisions.NothingRequested, match="say which"):
            decided(plan.plan_id, answer(CHANGES, plan, **reason))
        assert plans.approval_of(lake, plan.plan_id) is None

    def test_of_former_versions_is_written_as_they_read_it(self, lake: FsspecLake, plan: Plan) -> None:
        decided(plan.plan_id, answer("Approve", plan))

        assert "changes_requested" not in json.loads(lake.read(("plans", plan.plan_id, "approval.json"), 10**6))

    def test_says_when_it_was_nobody(self, lake: FsspecLake, plan: Plan) -> None:
        with pytest.raises(AirflowSkipException, match="rejected by nobody: no answer by"):
            decided(plan.plan_id, answer("Reject", plan, by=None, reason=""))

        kept = plans.approval_of(lake, plan.plan_id)
        assert (kept.approved, kept.decided_by, kept.by_id) == (False, DecidedBy.TIME_OUT, None)

    def test_says_so_too_when_the_plan_was_too_old_before_anybody_was_asked(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make(minutes_ago=61)
        with pytest.raises(AirflowSkipException, match="rejected by nobody"):
            decided(plan_id, question(plan_id, run).answer)

        assert plans.approval_of(lake, plan_id).decided_by is DecidedBy.TIME_OUT

    def test_is_not_made_of_an_answer_to_other_bytes(self, lake: FsspecLake, plan: Plan) -> None:
        another = answer("Approve", plan, reason="fine") | {"plan_fingerprint": "sha256:" + "0" * 64}

        with pytest.raises(InvalidInput, match="nothing was recorded"):
            decided(plan.plan_id, another)
        assert plans.approval_of(lake, plan.plan_id) is None

    def test_is_what_counts_and_nothing_that_an_airflow_task_is_told(self, lake: FsspecLake, plan: Plan) -> None:
        """`approve` may have been marked as done, and whatever it returned may have been written by another user."""
        with pytest.raises(InvalidInput, match="has no decision"):
            decisions.go_by_decision(str(plans.run_of(lake, plan.plan_id)))

    def test_is_made_once(self, lake: FsspecLake, plan: Plan) -> None:
        decided(plan.plan_id, answer("Approve", plan))
        decided(plan.plan_id, answer("Approve", plan))

        with pytest.raises(InvalidInput, match="was approved by 'vera'"):
            decided(plan.plan_id, answer("Reject", plan, by="bob"))
        assert plans.approval_of(lake, plan.plan_id).approved


class TestApplying:
    NOW: ClassVar[dict[str, object]] = {"state_dirs": {}, "confirmed": []}

    @pytest.fixture
    def plan(self, lake: FsspecLake, make: Any) -> Plan:
        return plans.load(lake, make()[0])

    def test_needs_an_approval(self, lake: FsspecLake, plan: Plan, recorded: str) -> None:
        with pytest.raises(InvalidInput, match="was not approved"):
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")

    def test_needs_no_rejection(self, lake: FsspecLake, plan: Plan, recorded: str) -> None:
        with pytest.raises(AirflowSkipException, match="rejected"):
            decided(plan.plan_id, answer("Reject", plan))

        with pytest.raises(StepRefused, match="was rejected by vera"):
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")

    def test_goes_by_a_person_s_word(self, lake: FsspecLake, plan: Plan, recorded: str) -> None:
        decided(plan.plan_id, answer("Approve", plan))

        assert (
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")
            == f"plans/{plan.plan_id}/checklist.json"
        )

    @pytest.mark.parametrize(
        ("forged", "said"),
        [
            ({"plan_fingerprint": "sha256:" + "0" * 64}, "is for other bytes"),
            ({"plan_id": "0" * 16}, "is for plan 0000000000000000"),
            ({"by": " "}, "has no name"),
            ({"decided_by": "time-out"}, "has no name"),
            ({"by_id": "ann"}, "but its policy requires four eyes"),
            ({"asked_by": "vera"}, "states that vera requested plan .* but the plan states ann"),
            ({"asked_by": None}, "does not state who requested the plan"),
        ],
    )
    def test_refuses_an_approval_that_is_none(
        self, lake: FsspecLake, make: Any, recorded: str, forged: dict[str, object], said: str
    ) -> None:
        plan = plans.load(lake, make(policy(four_eyes=True))[0])
        decided(plan.plan_id, answer("Approve", plan))
        place = ("plans", plan.plan_id, "approval.json")
        lake.write(place, json.dumps(json.loads(lake.read(place, 10**6)) | forged).encode())

        with pytest.raises(StepRefused, match=said):
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")

    @pytest.mark.parametrize(("review", "applies"), [("always", False), ("on a warning", True), ("never", True)])
    def test_goes_by_the_policy_s_word_where_the_plan_s_policy_has_it(
        self, lake: FsspecLake, make: Any, recorded: str, review: str, applies: bool
    ) -> None:
        plan = plans.load(lake, make(policy(review=review))[0])
        document = approval.fingerprint(plan)
        forged = answer("Approve", plan) | {"by_the_policy": review, "plan_fingerprint": document}
        if applies:
            decided(plan.plan_id, forged)
            assert rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")
            return
        with pytest.raises(AssertionError, match="must look at"):
            decided(plan.plan_id, forged)
        kept = loads(json.dumps({
            "format_version": "1.0", "plan_id": plan.plan_id, "approved": True, "by": "the policy", "reason": "",
            "at": "2026-11-20T14:00:00Z", "decided_by": "policy",
        }))  # fmt: skip
        lake.write(("plans", plan.plan_id, "approval.json"), json.dumps(kept).encode())
        with pytest.raises(StepRefused, match="approved by its policy, but needs approval by a person"):
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")

    def test_refuses_a_plan_that_is_too_old(
        self, lake: FsspecLake, make: Any, recorded: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plan = plans.load(lake, make(minutes_ago=61)[0])
        with monkeypatch.context() as earlier:
            earlier.setattr(decisions, "now", lambda: datetime.fromisoformat(plan.created_at))
            earlier.setattr(freshness, "drifted", lambda *_: ())  # the newest snapshot is younger than the plan's time
            decided(plan.plan_id, answer("Approve", plan))

        with pytest.raises(StalePlan, match="could be applied until"):
            rollouts.apply(plan.plan_id, self.NOW | {"snapshot": just_taken(lake, recorded)}, "olga")
