"""Does the next restart wait until the group shows the one before?"""

import json
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, B, C, Document, altered, group
from tests.harness.operators_hands import GONE, MINUTE, Operator, waits_for
from tests.harness.plans import (
    NOON,
    planned,
    restarted,
)

from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.steps import step_words
from holdfast.workflows import plan as plans


def static(document: Document) -> Document:
    for process_id, one in document["clients"].items():
        for number, consumer in enumerate(one["consumers"].values()):
            consumer["group_instance_id"] = f"{process_id}-{number}"
    return document


def in_generation(number: int, document: Document) -> Document:
    """With the record of its newest rebalance."""
    generation = {
        "number": number,
        "completed_at": (NOON + MINUTE).isoformat(),
        "leader_member_id": None,
        "protocol": "stream",
        "members": {},
    }
    return altered(document, ["generations"], [generation])


class TestRollingRestart:
    """Two clients are never down at once: the next restart is not asked for before the group shows the one before."""

    STEPS = ({"restart_client": {"process_id": A}}, {"then": "stable"}, {"restart_client": {"process_id": B}})

    @pytest.fixture
    def operator(self, tmp_path: Path) -> Operator:
        plan = planned(group(AFTER), *self.STEPS, policy=Policy(exclude=("relabel",)))
        assert plan.chosen == "baseline"
        return Operator(tmp_path, plan)

    def test_a_word_is_not_enough(self, operator: Operator) -> None:
        assert waits_for(operator.apply(group(AFTER))) == "1"
        applied = operator.apply(group(AFTER), confirm=["1"])

        assert waits_for(applied) == "1"
        assert applied.waiting_for is not None
        assert not applied.waiting_for.can_confirm
        assert "The group does not show it yet" in applied.waiting_for.needed
        assert waits_for(operator.apply(restarted(group(AFTER), A))) == "3"

    def test_what_the_group_shows_needs_no_word(self, operator: Operator) -> None:
        operator.apply(group(AFTER))

        assert waits_for(operator.apply(restarted(group(AFTER), A))) == "3"
        assert waits_for(operator.apply(restarted(group(AFTER), A, B))) is None

    def test_another_client_does_not_show_it(self, operator: Operator) -> None:
        operator.apply(group(AFTER))

        assert waits_for(operator.apply(restarted(group(AFTER), B), confirm=["1"])) == "1"

    @pytest.mark.parametrize("kept", [1, 2])
    def test_one_whose_old_members_are_listed_is_not_back(self, operator: Operator, kept: int) -> None:
        """Its session has not timed out, or one thread only is back."""
        operator.apply(group(AFTER))
        old, new = (document["clients"][A]["consumers"] for document in (group(AFTER), restarted(group(AFTER), A)))
        bare = {"owned": [], "task_offset_sums": {}}
        both = dict(list(old.items())[:kept]) | {member: found | bare for member, found in new.items()}

        fresh = altered(group(AFTER), ["clients", A, "consumers"], both)
        assert waits_for(operator.apply(fresh, confirm=["1"])) == "1"

    def test_it_is_resumed_with_what_was_there_when_it_began(self, operator: Operator) -> None:
        """Members that rejoined before the step began do not show a restart."""
        rejoined = restarted(group(AFTER), A)
        again = json.loads(json.dumps(rejoined).replace("77777777-0000", "88888888-0000"))

        assert waits_for(operator.apply(rejoined)) == "1"
        assert waits_for(operator.apply(rejoined, confirm=["1"])) == "1"
        assert waits_for(operator.apply(again)) == "3"
        (began,) = [one for one in plans.journal_of(operator.lake, operator.plan.plan_id).entries if one.step == "1" and one.seen]
        assert began.event is JournalEvent.BEGUN

    def test_what_was_done_before_it_was_asked_for_counts_on_a_word(self, operator: Operator) -> None:
        assert waits_for(operator.apply(restarted(group(AFTER), A), confirm=["1"])) == "3"

    @pytest.mark.thorough
    def test_new_members_in_the_old_generation_are_static_ones(self, tmp_path: Path) -> None:
        for name, kind, after in (("dynamic", lambda found: found, "1"), ("static", static, "3")):
            before = in_generation(7, kind(group(AFTER)))
            plan = planned(before, *self.STEPS, policy=Policy(exclude=("relabel",)))
            operator = Operator(tmp_path / name, plan)

            assert waits_for(operator.apply(before)) == "1"
            assert waits_for(operator.apply(restarted(before, A), confirm=["1"])) == after
            assert waits_for(operator.apply(in_generation(8, restarted(before, A)))) == "3"


@pytest.mark.thorough
def test_static_members_that_return_in_time_are_walked_to_the_end(tmp_path: Path) -> None:
    """No rebalance comes; at the end every task is where the plan found it."""
    returns = [{"restart_client": {"process_id": one, "within_session": True}} for one in (A, B, C)]
    before = in_generation(7, static(group(AFTER)))
    events = (returns[0], {"then": "stable"}, returns[1], {"then": "stable"}, returns[2])
    operator = Operator(tmp_path, planned(before, *events, policy=Policy(exclude=("relabel",))))

    states = (before, *(restarted(before, *some) for some in ((A,), (A, B), (A, B, C))))
    assert [waits_for(operator.apply(one)) for one in states] == ["1", "3", "5", None]


@pytest.mark.thorough
def test_several_settings_are_rolled_out_by_one_restart_of_each_client(tmp_path: Path) -> None:
    """Also where the request restarts all clients together with them."""
    settings = {"max.warmup.replicas": 6, "acceptable.recovery.lag": 9}
    together = [*({"restart_client": {"process_id": one}} for one in (A, B, C)), {"set_config": settings}]
    for number, events in enumerate(([{"rolling_restart": {"set_config": settings}}], together)):
        operator = Operator(tmp_path / str(number), planned(group(AFTER), *events, policy=Policy(exclude=("relabel",))))

        assert waits_for(operator.apply(group(AFTER), confirm=["1"])) == "1"
        assert waits_for(operator.apply(restarted(group(AFTER), A, B, C), confirm=["1", "2"])) is None


@pytest.mark.thorough
def test_after_a_stop_it_waits_until_the_group_has_noticed(tmp_path: Path) -> None:
    events = ({"remove_client": {"process_id": C}}, {"then": "stable"}, {"restart_client": {"process_id": A}})
    names = [option.name for option in planned(group(AFTER), *events).candidates if option.name != "baseline"]
    plan = planned(group(AFTER), *events, policy=Policy(exclude=tuple(names)))
    operator = Operator(tmp_path, plan)
    stop = next(step.id for step in plan.steps if step_words.brief(step.action).startswith("stop"))
    wait = str(int(stop) + 1)

    applied = operator.apply(group(AFTER), confirm=[stop])
    assert waits_for(applied) == wait
    assert "The group still lists 2 members" in str(applied.waiting_for)
    assert waits_for(operator.apply(GONE)) == str(int(wait) + 1)
