"""Plans for consumer groups: which option is recommended, why not the others, and what a reviewer reads first."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.harness.article import just_now
from tests.harness.plain_groups import Document, change, group, member

from holdfast.cli.main import holdfast
from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.events import table
from holdfast.rollout.consumer.events.set_assignors import SetAssignors
from holdfast.rollout.consumer.plan.json import consumer_plan_from_json, consumer_plan_to_json
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.consumer.plan.review import review
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.policy.hours import TimeOfDay, Window
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.rollout.text import document_blocks
from holdfast.workflows import plan as planning

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
COMMITTED = [{"id": number, "begin_offset": 0, "end_offset": 9, "committed_offset": 9} for number in range(6)]
TOPICS = {"orders": {"partitions": COMMITTED}}
POLICY = Policy()
TWO = {"a": member(0, 1, 2), "b": member(3, 4, 5)}
EAGER = {name: one | {"assignors": ["range"], "owned": [], "owned_generation": None} for name, one in TWO.items()}


def planned(consumers: dict[str, Document], *events: object, policy: Policy = POLICY, topics: Document = TOPICS) -> ConsumerPlan:
    snapshot = group(consumers, topics=topics)
    plan = planning.make_from(("s", snapshot), ("c", change(*events)), policy, NOW)
    assert consumer_plan_from_json(json.loads(json.dumps(consumer_plan_to_json(plan)))) == plan
    return plan


def restarts(*names: str) -> list[dict[str, Any]]:
    return [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in names]


def text(plan: ConsumerPlan) -> str:
    return document_blocks.to_text(review(plan))


def test_static_consumers_are_restarted_unnoticed() -> None:
    static = {name: one | {"group_instance_id": f"i-{name}"} for name, one in TWO.items()}
    plan = planned(static, *restarts("a", "b"))

    assert (plan.chosen, plan.assessment.value) == ("static-within-session", "safe")
    assert (
        "0 of 6 partitions migrate, 0 rebalances; the partitions of a consumer are unavailable only until it returns"
        in plan.headline
    )
    assert "'i-a' are unavailable until it returns, up to 45 s" in plan.candidates[1].unknown[0].text
    assert "before its session times out" in plan.preconditions[0]
    assert [(step.id, step.says) for step in plan.steps] == [
        ("1", "Restart i-a, within its session timeout"),
        ("2", "Restart i-b, within its session timeout"),
        ("3", "Wait until the group is stable"),
    ]


def test_a_change_of_assignors_that_would_fail_takes_two_bounces() -> None:
    cooperative = {"assignors": ["cooperative-sticky"]}
    events = [{"set_assignors": cooperative | {"member_ids": {name: f"{name}2"}}} for name in TWO]
    plan = planned(EAGER, events[0], {"then": "stable"}, events[1])

    assert plan.chosen == "two-bounces"
    assert [one.name for one in plan.candidates] == ["baseline", "reverse-order", "all-together", "two-bounces"]
    assert "converges" in plan.candidates[0].why_not
    assert "no partition is read until they return" in plan.candidates[2].why_not
    lists = [step.says.partition("=")[2] for step in plan.steps if "=" in step.says]
    assert lists == ["cooperative-sticky,range"] * 2 + ["cooperative-sticky"] * 2
    assert plan.steps[4].says.startswith("Restart a with")


def test_skipping_data_stands_on_the_first_line() -> None:
    lost = {"orders": {"partitions": [COMMITTED[0] | {"committed_offset": None}, *COMMITTED[1:]]}}
    plan = planned(TWO, *restarts("a"), topics=lost)

    first, _, third, *_ = text(plan).splitlines()
    assert "SKIPS DATA, needs review (failed: reads-on)" in first
    assert plan.headline.startswith("SKIPS DATA: 1 partition (orders-0)")
    assert plan.assessment.value == "review"
    assert not third
    alone = planned(TWO, *restarts("a"), topics=lost, policy=Policy(review=Review.NEVER))
    assert (alone.assessment.value, alone.steps) == ("blocked", ())


def test_one_by_one_where_it_moves_less() -> None:
    four = {name: member(number, assignors=["sticky"]) for number, name in enumerate("abcd")}
    plan = planned(four, *restarts("a", "b", "c", "d"))

    assert [one.name for one in plan.candidates] == [
        *("baseline", "one-by-one", "reverse-order", "two-waves", "make-static", "make-cooperative")
    ]
    assert all(one.why_not for one in plan.candidates if one.name != plan.chosen)


class TestWaysBeyondWhatWasAsked:
    """They are forecast and shown, and selected by the operator only."""

    @staticmethod
    def option(plan: ConsumerPlan, name: str) -> Considered:
        return next(one for one in plan.candidates if one.name == name)

    def test_static_membership_rebalances_once_more_and_says_so(self) -> None:
        plan = planned(TWO, *restarts("a"))
        option = self.option(plan, "make-static")

        assert option.change.events[0].back.group_instance_id == "instance-00000"  # type: ignore[union-attr]
        assert option.summary is not None
        assert option.summary.rebalances == self.option(plan, "baseline").summary.rebalances  # type: ignore[union-attr]
        assert "later ones need not" in option.why_not
        assert plan.chosen == "baseline"

    def test_a_longer_session_comes_with_its_setting_and_what_it_costs(self) -> None:
        static = {name: one | {"group_instance_id": f"i-{name}"} for name, one in TWO.items()}
        option = self.option(planned(static, *restarts("a")), "longer-session")

        assert [(one.key, one.value, one.revert_to) for one in option.settings] == [("session.timeout.ms", 300_000, None)]
        assert "unavailable until it returns, up to 300 s" in option.unknown[0].text
        assert "detected later" in option.why_not

    def test_an_eager_group_that_restarts_whole_could_become_cooperative(self) -> None:
        option = self.option(planned(EAGER, *restarts("a", "b")), "make-cooperative")

        assert option.summary is not None
        assert option.summary.rebalances >= 4
        lists = [[str(name) for name in one.assignors] for one in option.change.events if isinstance(one, SetAssignors)]
        assert lists == [["cooperative-sticky", "range"]] * 2 + [["cooperative-sticky"]] * 2
        assert "make-cooperative" not in {one.name for one in planned(EAGER, *restarts("a")).candidates}
        assert "make-cooperative" not in {one.name for one in planned(TWO, *restarts("a", "b")).candidates}


def test_the_other_order_is_chosen_where_less_stands_still() -> None:
    """A member that restarts while it has one partition more loses it to another member, and gets another one back."""
    topics = {"orders": {"partitions": [*COMMITTED, COMMITTED[0] | {"id": 6}]}}
    three = {"b": member(5, 1, 2), "d": member(3, 6), "f": member(0, 4)}
    first, second = ({"restart_consumer": {"member_id": old, "new_member_id": new}} for old, new in ("bg", "dz"))
    plan = planned(three, first, {"then": "stable"}, second, topics=topics)

    assert plan.chosen == "reverse-order"
    assert "More downtime: " in plan.candidates[0].why_not
    assert [step.says for step in plan.steps][::2] == ["Restart d", "Restart b"]


def test_limits_and_exclusions_of_the_policy() -> None:
    assert planned(TWO, *restarts("a"), policy=Policy(exclude=("baseline",))).blocked_by == ("Your policy excludes every option.",)
    comes = {"add_consumer": {"member_id": "c", "assignors": ["cooperative-sticky"], "subscription": ["orders"]}}
    few = planned(TWO, comes, policy=Policy(rebalances_most=0, blocking=("rebalances",)))
    assert few.assessment.value == "blocked"
    assert few.blocked_by == ("rebalances: 1 from the change itself, up to 1 extra, limit 0 extra",)


class TestTimeAndActions:
    """As for Streams groups: the same rules, in the same words."""

    def rule(self, name: str, policy: Policy, *events: object) -> Rule:
        found = planned(TWO, *(events or restarts("a")), policy=policy).candidates[0].rules
        return next(one for one in found if one.name == name)

    @pytest.mark.parametrize(("within", "status"), [("10 s", RuleStatus.FAIL), ("1 h", RuleStatus.PASS)])
    def test_finish_before(self, within: str, status: RuleStatus) -> None:
        found = self.rule("finish-before", Policy(finish_before=within))

        assert (found.status, found.blocking) == (status, True)
        assert "at the most if begun now" in found.found

    def test_windows(self) -> None:
        opens, closes = (NOW + timedelta(hours=hours) for hours in (1, 2))
        soon = Window(TimeOfDay(f"{opens:%H:%M}Z"), TimeOfDay(f"{closes:%H:%M}Z"))
        now = Window(TimeOfDay(f"{NOW - timedelta(hours=1):%H:%M}Z"), TimeOfDay(f"{closes:%H:%M}Z"))

        later, open_now = (self.rule("windows", Policy(windows=(one,))) for one in (soon, now))

        assert (later.status, "the next one opens at" in later.found) == (RuleStatus.FAIL, True)
        assert (open_now.status, "the window closes at" in open_now.found) == (RuleStatus.PASS, True)

    def test_the_plan_expires_at_the_last_moment_at_which_it_ends_in_time(self) -> None:
        free, bound = (planned(TWO, *restarts("a"), policy=policy) for policy in (Policy(), Policy(finish_before="1 h")))
        times = bound.candidates[0].times

        assert times is not None
        assert times.restored is not None
        assert bound.expires_at < free.expires_at
        assert datetime.fromisoformat(bound.expires_at) == NOW + timedelta(hours=1, seconds=-times.restored.high)

    def test_actions(self) -> None:
        allowed, forbidden = (self.rule("actions", Policy(actions=names)) for names in (("restart_client",), ("start_client",)))

        assert (allowed.status, allowed.found) == (RuleStatus.PASS, "restart_client")
        assert (forbidden.status, forbidden.found) == (RuleStatus.FAIL, "it asks for restart_client")

    def test_every_event_has_an_action_that_a_policy_can_name(self) -> None:
        assert all(event.ACTIONS and set(event.ACTIONS) <= set(ActionName) for event in table.EVENTS)

    def test_what_the_policy_does_not_state_is_left_out(self) -> None:
        names = {one.name for one in planned(TWO, *restarts("a")).candidates[0].rules}

        assert not names & {"finish-before", "windows", "actions", "not-judged"}


@pytest.mark.parametrize(
    ("limits", "name"),
    [({"without_caught_up_copy_s_most": 1}, "partition-downtime"), ({"blocking": ["reads-on"]}, "reads-on")],
)
def test_a_policy_blocks_by_the_rules_of_consumer_groups(limits: dict[str, object], name: str) -> None:
    """One offset is lost, and a partition has no reader for seconds."""
    lost = {"orders": {"partitions": [COMMITTED[0] | {"committed_offset": None}, *COMMITTED[1:]]}}
    policy = policy_from_json({"format_version": "1.0"} | limits)
    plan = planned(TWO, {"remove_consumer": {"member_id": "a"}}, policy=policy, topics=lost)

    assert plan.assessment.value == "blocked"
    assert name in [one.check for one in plan.blocked]


def test_what_a_policy_states_is_looked_at() -> None:
    hosts = {name: one | {"host": f"app-{name}"} for name, one in TWO.items()}
    rules = {
        name: {rule.name: rule for rule in planned(hosts, *restarts("a"), policy=policy).candidates[0].rules}
        for name, policy in {
            "touched": Policy(untouchable_hosts=("app-a",)),
            "elsewhere": Policy(untouchable_hosts=("app-b",), moved_in_all_percent_most=0),
        }.items()
    }

    assert rules["touched"]["untouchable-hosts"].status.value == "fail"
    assert rules["elsewhere"]["untouchable-hosts"].status.value == "pass"
    assert rules["elsewhere"]["moved"].found == "6 of 6 partitions (100 %)"


def test_no_events_are_nothing_to_do() -> None:
    assert planned(TWO).assessment.value == "nothing to do"


def test_an_edited_plan_is_no_plan() -> None:
    document = consumer_plan_to_json(planned(TWO, *restarts("a")))

    for edited in (document | {"headline": "fine"}, document | {"rules": []}):
        with pytest.raises(InvalidInput, match="was edited"):
            consumer_plan_from_json(edited)


class TestCommands:
    def _run(self, *arguments: str | Path) -> Result:
        return CliRunner().invoke(holdfast, [str(one) for one in arguments], standalone_mode=False)

    def _files(self, folder: Path) -> tuple[Path, Path]:
        paths = folder / "s.json", folder / "c.json"
        for path, document in zip(paths, (group(TWO, topics=TOPICS), change(*restarts("a"))), strict=True):
            path.write_text(json.dumps(document))
        return paths

    def test_plan_and_show(self, tmp_path: Path) -> None:
        snapshot, requested = self._files(tmp_path)
        made = self._run("plan", snapshot, requested, "--json")
        kept = tmp_path / "plan.json"
        kept.write_text(made.stdout)

        assert made.return_value == 2
        assert self._run("plan", snapshot, requested).stdout.startswith("Plan ")
        assert "1. Restart" in self._run("show", kept).stdout or "Restart a" in self._run("show", kept).stdout
        assert self._run("show", kept, "--markdown").stdout.startswith("# Plan ")
        assert json.loads(self._run("show", kept, "--json").stdout) == json.loads(made.stdout)

    def test_a_plan_goes_stale(self, tmp_path: Path) -> None:
        snapshot, requested = self._files(tmp_path)
        kept, other = tmp_path / "plan.json", tmp_path / "other.json"
        kept.write_text(self._run("plan", snapshot, requested, "--json").stdout)
        other.write_text(json.dumps(group(TWO | {"c": member()}, topics=TOPICS)))
        later = tmp_path / "later.json"
        moved = {"orders": {"partitions": [one | {"end_offset": 99, "committed_offset": 50} for one in COMMITTED]}}
        later.write_text(json.dumps(group(TWO, topics=moved, generation=13)))

        assert self._run("show", kept, "--snapshot", snapshot).return_value == 0
        assert self._run("show", kept, "--snapshot", later).return_value == 0
        assert self._run("show", kept, "--snapshot", other).return_value == 3
        assert json.loads(self._run("show", kept, "--snapshot", other, "--json").stdout)["stale"] is True

    def test_a_plan_is_kept_applied_verified_and_compared(self, tmp_path: Path) -> None:
        snapshot, requested = self._files(tmp_path)
        lake, kept = tmp_path / "lake", tmp_path / "plan.json"
        kept.write_text(self._run("plan", snapshot, requested, "--json", "--lake", lake).stdout)
        plan_id = json.loads(kept.read_text())["plan_id"]
        assert (lake / "plans" / plan_id / "plan.json").exists()

        approved = ("--approved-by", "ann", "--reason", "read", "--lake", lake)
        fresh = tmp_path / "fresh.json"
        fresh.write_text(json.dumps(just_now(json.loads(snapshot.read_text()))))
        applied = json.loads(self._run("apply", kept, "--snapshot", fresh, *approved).stdout)
        assert (applied["done"], applied["waiting_for"]["step"]) == (False, "1")
        verified = self._run("verify", kept, "--snapshot", snapshot, "--lake", lake)
        assert json.loads(verified.stdout)["protocol"] == "consumer-classic"
        assert (lake / "plans" / plan_id / "verdict.json").exists()
        assert self._run("diff", kept, kept).exit_code == 0
        assert self._run("diff", snapshot, snapshot, "--json").exit_code == 0

    def test_two_kinds_of_groups_are_not_compared(self, tmp_path: Path) -> None:
        snapshot, _ = self._files(tmp_path)
        streams = Path(__file__).parents[5] / "examples" / "streams-wordcount" / "snapshot.json"

        assert "one is of a consumer group, the other of a Kafka Streams group" in str(
            self._run("diff", snapshot, streams).exception
        )
