"""A run sets the configs of a group at its brokers: over what the plan expects only, and once, whenever it is killed."""

import itertools
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

import pytest
from tests.fakes.process_metadata import MemoryProcessMetadataFiles
from tests.harness.running_group import Killed, Life, MortalLake
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams.plans import NOON
from tests.unit.rollout.broker_streams.streams_groups import snapshot

from holdfast.adapters.hosts import actors_file
from holdfast.errors import ClusterTrouble
from holdfast.ports import GroupConfig, GroupConfigs
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.execution.acts import GroupSetting
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Approval, JournalEntry, JournalEvent
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Hands
from holdfast.workflows.running import run as running
from holdfast.workflows.running.acting import Clocks
from holdfast.workflows.running.walking import LeftForNextTurn, Means, Ran

STANDBYS, TIMEOUT = "streams.num.standby.replicas", "streams.session.timeout.ms"
BEFORE = {STANDBYS: "0", TIMEOUT: "45000"}


@lru_cache
def planned(*acts: str) -> BrokerPlan:
    config = {STANDBYS: 0, TIMEOUT: 45_000}
    of = snapshot(cluster="prod", captured_at="2026-11-23T11:59:00Z", config=config)
    events = ({"set_config": {STANDBYS: 1, TIMEOUT: 60_000}},)
    return broker_plans.planned(*events, of=of, policy=Policy(acts=acts or ("set_config",), allow=("baseline",)))


def _approved(plan: BrokerPlan) -> Approval:
    return Approval(plan.plan_id, True, "vera", "", "2026-11-23T12:00:30Z", plan_fingerprint=fingerprint(plan))


class Brokers:
    """What they have of the group, and a run's means. `alters`: how often its configs were set."""

    def __init__(self) -> None:
        self.lake = MortalLake()
        self.configs: dict[str, str] = dict(BEFORE)
        self.alters: list[dict[str, str | None]] = []
        self.refuses: str | None = None
        self.answers = True
        self.time = 0.0

    def group_configs(self, group_id: str) -> GroupConfigs:
        assert group_id == "shop"
        self.lake.life.lives()
        return tuple(GroupConfig(key, value, of_group=key != TIMEOUT or value != "45000") for key, value in self.configs.items())

    def alter_group_configs(self, group_id: str, settings: Mapping[str, str | None]) -> None:
        assert group_id == "shop"
        self.lake.life.lives()
        if self.refuses is not None:
            raise ClusterTrouble(self.refuses)
        self.alters.append(dict(settings))
        self.configs |= {key: value or BEFORE[key] for key, value in settings.items()}
        self.lake.life.lives()
        if not self.answers:
            raise ClusterTrouble("no answer")

    def look(self, _: float) -> AnySnapshot:
        config = {key: int(value) for key, value in self.configs.items()}
        return any_document.snapshot_from_json(snapshot(cluster="prod", captured_at=self.now().isoformat(), config=config))

    def now(self) -> datetime:
        return NOON + timedelta(minutes=1, seconds=self.time)

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def turn(
        self, plan: BrokerPlan | None = None, *, dies_after: int | None = None, sets: bool = True, back: bool = False
    ) -> Ran | LeftForNextTurn:
        """The first turn of a run: the group never settles here."""
        self.lake.life = Life(dies_after)
        files, me = MemoryProcessMetadataFiles({}), LeaseOwner("ann", "here", 1, "1")
        hands = Hands(self.lake, files, {}, self.now, me=me, has_ended=lambda _: True)
        clocks = Clocks(lambda: self.time, self.sleep, self.now)
        means = Means(hands, actors_file.nothing(), self.look, lambda: 0, lambda _: None, clocks, self if sets else None)
        wanted = plan or planned()
        try:
            return running.turn(wanted, _approved(wanted), means, None, back=back)
        finally:
            self.lake.life = Life()
            self.sleep(600)  # leases end

    def entries(self) -> list[JournalEntry]:
        return [one for one in plans.journal_of(self.lake, planned().plan_id).entries if one.step == "1"]


def test_configs_are_set_once_and_seen() -> None:
    brokers = Brokers()
    brokers.turn()

    assert brokers.alters == [{STANDBYS: "1", TIMEOUT: "60000"}]
    assert [one.event for one in brokers.entries()] == [JournalEvent.BEGUN, JournalEvent.CONFIRMED, JournalEvent.DONE]
    assert f"{STANDBYS} from '0' to '1'" in brokers.entries()[0].detail


@pytest.mark.thorough
def test_a_run_that_is_killed_sets_them_once() -> None:
    for dies_after in itertools.count():
        brokers = Brokers()
        try:
            brokers.turn(dies_after=dies_after)
        except Killed:
            brokers.turn()
        else:
            assert dies_after > 5
            return
        assert len(brokers.alters) == 1
        assert brokers.configs == {STANDBYS: "1", TIMEOUT: "60000"}
        assert brokers.entries()[-1].event is JournalEvent.DONE


@pytest.mark.parametrize(("policy", "sets"), [(("restart_client",), True), (("set_config",), False)])
def test_it_is_a_person_s_unless_the_policy_lists_it_and_the_machine_can(policy: tuple[str, ...], *, sets: bool) -> None:
    brokers = Brokers()
    ran = brokers.turn(planned(*policy), sets=sets)

    assert isinstance(ran, Ran)
    assert ran.applied.waiting_for is not None
    assert brokers.alters == []


def test_another_value_than_the_plan_s_halts() -> None:
    brokers = Brokers()
    settings = kind_of(planned()).sets(planned(), planned().steps[0])
    assert settings == (GroupSetting(STANDBYS, "0", "1"), GroupSetting(TIMEOUT, "45000", "60000"))
    real = brokers.look

    def meanwhile(limit_s: float) -> AnySnapshot:
        found = real(limit_s)
        brokers.configs[STANDBYS] = "2"  # after the look
        return found

    brokers.look = meanwhile  # type: ignore[method-assign]
    ran = brokers.turn()
    assert isinstance(ran, Ran)
    assert ran.halted is not None
    assert (ran.halted.why, brokers.alters) == (Halt.DRIFT, [])
    assert "expected '0' before and '1' after" in ran.halted.text


def test_a_refusal_halts_with_the_broker_s_reason() -> None:
    brokers = Brokers()
    brokers.refuses = "this user needs ALTER_CONFIGS on the group"
    ran = brokers.turn()

    assert isinstance(ran, Ran)
    assert ran.halted is not None
    assert ran.halted.why is Halt.COMMAND
    assert "needs ALTER_CONFIGS" in ran.halted.text


def test_a_lost_answer_is_no_failure() -> None:
    brokers = Brokers()
    brokers.answers = False
    brokers.turn()
    assert len(brokers.alters) == 1
    assert brokers.entries()[-1].event is JournalEvent.DONE


class TestGoingBack:
    """The timeout was the brokers' default, the standbys were the group's own."""

    @pytest.fixture
    def brokers(self) -> Brokers:
        found = Brokers()
        found.turn()
        assert found.alters == [{STANDBYS: "1", TIMEOUT: "60000"}]
        return found

    def test_sets_what_was_there_before_and_the_default_again(self, brokers: Brokers) -> None:
        ran = brokers.turn(back=True)

        assert isinstance(ran, Ran)
        assert (ran.halted, ran.applied.waiting_for) == (None, None)
        assert brokers.alters[1:] == [{STANDBYS: "0", TIMEOUT: None}]
        back = [one.event for one in brokers.entries()][3:]
        assert [one for one in back if one is not JournalEvent.GOING_BACK] == [JournalEvent.UNDOING, JournalEvent.UNDONE]
        assert brokers.configs == BEFORE

    @pytest.mark.parametrize(("key", "value"), [(STANDBYS, "2"), (TIMEOUT, "50000")])
    def test_keeps_the_value_of_another_user(self, brokers: Brokers, key: str, value: str) -> None:
        brokers.configs[key] = value
        ran = brokers.turn(back=True)

        assert isinstance(ran, Ran)
        assert ran.halted is not None
        assert (ran.halted.why, len(brokers.alters)) == (Halt.DRIFT, 1)
        assert f"{key}: '{value}'; the step set" in ran.halted.text
        assert brokers.configs[key] == value

    def test_of_what_is_back_already_does_nothing(self, brokers: Brokers) -> None:
        brokers.configs = dict(BEFORE)
        ran = brokers.turn(back=True)

        assert isinstance(ran, Ran)
        assert (ran.halted, len(brokers.alters)) == (None, 1)

    def test_that_is_refused_halts(self, brokers: Brokers) -> None:
        brokers.refuses = "ALTER_CONFIGS on group shop is needed"
        ran = brokers.turn(back=True)

        assert isinstance(ran, Ran)
        assert ran.halted is not None
        assert ran.halted.why is Halt.COMMAND
        assert "ALTER_CONFIGS" in ran.halted.text

    @pytest.mark.thorough
    def test_that_is_killed_is_continued(self) -> None:
        for dies_after in itertools.count():
            brokers = Brokers()
            brokers.turn()
            try:
                brokers.turn(dies_after=dies_after, back=True)
            except Killed:
                ran = brokers.turn(back=True)
                assert isinstance(ran, Ran)
                assert ran.halted is None
                assert brokers.alters[1:] == [{STANDBYS: "0", TIMEOUT: None}], dies_after
            else:
                break
        assert dies_after > 10, "that was every operation of a whole run"

    @pytest.mark.parametrize("sets", [True, False])
    def test_of_what_a_person_set_is_a_person_s(self, sets: bool) -> None:
        brokers = Brokers()
        if sets:
            brokers.configs |= {STANDBYS: "1", TIMEOUT: "60000"}
        brokers.turn()
        ran = brokers.turn(back=True, sets=sets)

        assert isinstance(ran, Ran)
        assert ran.applied.waiting_for is not None
        assert ("did not set" if sets else "This run cannot set configs") in ran.applied.waiting_for.needed
