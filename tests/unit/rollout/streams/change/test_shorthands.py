"""What the shorthands of a Change stand for."""

from dataclasses import replace
from uuid import UUID

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, change, group

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.json import forecast_to_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

SNAPSHOT = snapshot_from_json(group(AFTER))


def events(*given: object) -> list[object]:
    """The events of the Change's JSON once its shorthands are written out."""
    written = shorthands.written_out(SNAPSHOT, change_from_json(change(*given)))
    return change_to_json(written)["events"]


def restart(process_id: str) -> dict[str, object]:
    return {"restart_client": {"process_id": process_id, "keeps_process_id": True, "keeps_state": True}}


def test_a_rolling_restart_takes_all_clients_in_the_order_of_their_ids() -> None:
    stable = {"then": "stable"}

    assert events({"rolling_restart": {}}) == [restart(C), stable, restart(A), stable, restart(B)]


def test_several_at_once_and_in_a_chosen_order() -> None:
    given = {"rolling_restart": {"process_ids": [B, C, A], "at_once": 2, "wait": "rebalance"}}

    assert events(given) == [restart(B), restart(C), {"then": "rebalance"}, restart(A)]


def test_what_follows_a_rolling_restart_waits_for_it_too() -> None:
    settings = {"set_config": {"max.warmup.replicas": 2}}

    written = events({"set_config": {"max.warmup.replicas": 6}}, {"rolling_restart": {"at_once": 3}}, settings)

    assert written[-2:] == [{"then": "stable"}, settings]


def test_the_forecast_shows_what_was_written_out() -> None:
    short = change_from_json(change({"rolling_restart": {}}))
    long = change_from_json(change(*events({"rolling_restart": {}})))

    document = forecast_to_json(forecast(SNAPSHOT, short))

    assert document == forecast_to_json(forecast(SNAPSHOT, long))
    assert document["events"] == events({"rolling_restart": {}})


def test_a_change_without_shorthands_stays_as_it_is() -> None:
    plain = change_from_json(change({"remove_client": {"process_id": A}}))

    assert shorthands.written_out(SNAPSHOT, plain) is plain


def test_the_shorthand_survives_its_own_json() -> None:
    short = change_from_json(change({"rolling_restart": {"process_ids": [A], "at_once": 2, "keeps_state": False}}))

    assert change_from_json(change_to_json(short)) == short


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"process_ids": []}, "one process ID or more"),
        ({"process_ids": [A, A]}, "is given twice"),
        ({"at_once": 0}, "at_once"),
        ({"wait": "never"}, "wait"),
        ({"clients": [A]}, "clients"),
    ],
)
def test_what_it_does_not_take_is_refused(content: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        change_from_json(change({"rolling_restart": content}))


def test_an_empty_group_has_nothing_to_restart() -> None:
    with pytest.raises(InvalidInput, match=r"events\[0\].rolling_restart.process_ids"):
        shorthands.written_out(snapshot_from_json(group({})), change_from_json(change({"rolling_restart": {}})))


def test_settings_and_a_release_hold_once_the_last_one_is_back() -> None:
    given = {"rolling_restart": {"at_once": 2, "set_config": {"max.warmup.replicas": 6}, "kafka_release": "3.9.1"}}
    stable = {"then": "stable"}
    sets = [{"set_config": {"max.warmup.replicas": 6}}, {"set_release": {"kafka_release": "3.9.1"}}]

    assert events(given) == [restart(C), restart(A), stable, restart(B), *sets]
    short = change_from_json(change(given))
    assert change_from_json(change_to_json(short)) == short
    assert shorthands.written_out(SNAPSHOT, short, roll_outs=False).events == short.events


def test_everybody_is_who_is_there_then() -> None:
    joins = {"add_client": {"process_id": LAST, "threads": 2, "host": None, "rack": None, "client_tags": {}}}
    stable = {"then": "stable"}

    written = events({"remove_client": {"process_id": C}}, joins, stable, {"rolling_restart": {"at_once": 9}})

    assert written[3:] == [restart(A), restart(B), restart(LAST)]


def test_who_is_left_to_chance_restarts_too_in_each_outcome() -> None:
    fresh = {"add_client": {"process_id": None, "threads": 2}}
    requested = change_from_json(change(fresh, {"then": "stable"}, {"rolling_restart": {"at_once": 9}}))

    found = forecast(SNAPSHOT, requested)

    assert len(found.outcomes) == 4
    assert all(sum(one.trigger is Trigger.CHANGE for one in outcome.rounds) == 2 for outcome in found.outcomes)
    assert forecast_to_json(found)["events"][-1]["rolling_restart"]["at_once"] == 9


def test_who_is_left_to_chance_cannot_lose_its_id_again() -> None:
    fresh = {"add_client": {"process_id": None, "threads": 2}}
    requested = change(fresh, {"then": "stable"}, {"rolling_restart": {"keeps_process_id": False}})

    with pytest.raises(InvalidInput, match=r"events\[2\].rolling_restart.process_ids: a client with a new random process ID"):
        forecast(SNAPSHOT, change_from_json(requested))


class TestWhoseSettingsCount:
    """A rebalance goes by what its leader was started with: seen on 2.8.2, 3.9.1 and 4.3.1."""

    ROLL = change({"rolling_restart": {"set_config": {"num.standby.replicas": 1}}})

    def counts(self, leader: str | None, roll: object = ROLL) -> tuple[int, ...]:
        led = replace(SNAPSHOT, leader_process_id=None if leader is None else ProcessId.of(UUID(leader)))
        return shorthands.counts_earlier(led, change_from_json(roll))

    def test_at_the_earliest_those_of_the_leader_of_today_once_it_restarts(self) -> None:
        """C, A, B is the order; from the last on they count anyway."""
        assert self.counts(C) == (1, 2)
        assert self.counts(A) == (2,)
        assert self.counts(B) == ()
        assert self.counts(None) == (1, 2)

    def test_several_at_once_are_one_batch(self) -> None:
        roll = change({"rolling_restart": {"at_once": 2, "set_config": {"num.standby.replicas": 1}}})

        assert self.counts(A, roll) == (1,)
        assert self.counts(B, roll) == ()

    @pytest.mark.parametrize("other", [{}, {"within_session": True, "set_config": {"num.standby.replicas": 1}}])
    def test_nothing_is_open_without_settings_and_where_no_rebalance_comes(self, other: object) -> None:
        assert self.counts(None, change({"rolling_restart": other})) == ()

    def test_a_long_roll_is_looked_at_in_a_few_places(self) -> None:
        ids = [str(UUID(int=number << 64)) for number in range(1, 101)]
        roll = change({"rolling_restart": {"process_ids": ids, "set_config": {"num.standby.replicas": 1}}})

        assert self.counts(None, roll) == (1, 50, 99)

    def test_the_settings_are_written_where_they_count(self) -> None:
        written = shorthands.written_out(SNAPSHOT, change_from_json(self.ROLL), counted_from=2)
        stable, set_config = {"then": "stable"}, {"set_config": {"num.standby.replicas": 1}}

        assert change_to_json(written)["events"] == [restart(C), stable, restart(A), set_config, stable, restart(B)]

    def test_the_range_covers_every_batch(self) -> None:
        roll = change_from_json(self.ROLL)
        (found,) = forecast(replace(SNAPSHOT, leader_process_id=None), roll).outcomes
        each = [
            forecast(SNAPSHOT, shorthands.written_out(SNAPSHOT, roll, counted_from=batch)).outcomes[0].summary
            for batch in (1, 2, 3)
        ]

        assert found.summary.rebalances_at_least == min(one.rebalances_at_least for one in each)
        assert found.summary.rebalances_at_most == max(one.rebalances_at_most for one in each)
        assert found.summary.seconds_to_stable_at_least == min(one.seconds_to_stable_at_least or 0 for one in each)
        assert len({one.rebalances_at_most for one in each}) > 1
