"""Configs for the time of a rollout, where the change itself sets them too."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.plans import STABLE, option, planned, restart
from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.coordinated import temporary_configs

DELAY, STANDBYS = "streams.initial.rebalance.delay.ms", "streams.num.standby.replicas"
RAISED: Case = {"set_config": {DELAY: 60_000}}
BACK: Case = {"set_config": {DELAY: 20_000}}


def during(*events: Case, **config: Any) -> list[Case]:
    change = CHANGE.read({"format_version": "1.0", "events": list(events)})
    after = temporary_configs.afterwards(config, change.statements())
    found = temporary_configs.during({DELAY: 60_000}, change.events, after, SetConfig)
    return CHANGE.write(BrokerChange(found))["events"]  # type: ignore[index,return-value,call-overload]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((restart("a"), STABLE), [RAISED, "a", STABLE, {"set_config": {DELAY: None}}]),
        ((restart("a"), BACK, restart("b")), [RAISED, "a", "b", STABLE, BACK]),
        ((BACK, STABLE, restart("a")), [RAISED, "a", STABLE, BACK]),
        (({"set_config": {DELAY: 1}}, restart("a"), BACK), [RAISED, "a", STABLE, BACK]),
        (({"set_config": {DELAY: 20_000, STANDBYS: 1}}, restart("a")), [RAISED, {"set_config": {STANDBYS: 1}}, "a", STABLE, BACK]),
    ],
)
def test_what_the_change_sets_itself_comes_at_the_end(events: tuple[Case, ...], expected: list[Any]) -> None:
    found = [one["restart_client"]["process_id"] if "restart_client" in one else one for one in during(*events)]

    assert found == expected


def test_what_the_group_has_is_set_again() -> None:
    assert during(restart("a"), **{DELAY: 5_000})[-1] == {"set_config": {DELAY: 5_000}}


def test_a_plan_ends_with_the_configs_that_were_asked_for() -> None:
    joins = [{"add_client": {"process_id": one, "member_ids": [f"{one}0"]}} for one in "abcd"]
    made = planned(BACK, *joins, of=snapshot(members={}, group_state="Empty"))
    longer = option(made, "longer-initial-delay")
    values = [dict(one.configures())[DELAY] for one in longer.change.statements() if one.configures()]

    assert values == [75_000, 20_000]
    assert [(one.key, one.value, one.revert_to) for one in longer.settings] == [(DELAY, 75_000, 20_000)]


def test_standbys_that_are_asked_for_are_not_removed_afterwards() -> None:
    made = planned({"set_config": {STANDBYS: 1}}, restart("a"))
    first = option(made, "standbys-first")

    assert [(one.key, one.value, one.revert_to) for one in first.settings] == [(STANDBYS, 2, 1)]
