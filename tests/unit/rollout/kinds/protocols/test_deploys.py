"""How often a group goes through each deploy: counted in its past, given, or assumed."""

import base64
from datetime import UTC, datetime, timedelta

from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.kinds.protocols import past_seen
from holdfast.rollout.kinds.protocols.comparison import CountedFrom, DeployKind
from holdfast.rollout.kinds.protocols.deploys import Counted, Seen, counted, deploys

START = datetime(2026, 11, 1, tzinfo=UTC)


def seen(hours: float, **clients: str) -> Seen:
    """Each client by its name, with the ID of its one member; it runs on `host-NAME`."""
    there = {name: frozenset({member}) for name, member in clients.items()}
    return Seen(START + timedelta(hours=hours), there, {name: f"host-{name}" for name in clients})


def times(*past: Seen) -> dict[DeployKind, int]:
    found = counted(past)
    assert found is not None
    return dict(found.times)


def test_a_rolling_restart_is_one_however_many_rebalances_it_has() -> None:
    roll = [seen(10, a="2", b="1", c="1"), seen(10.1, a="2", b="2", c="1"), seen(10.2, a="2", b="2", c="2")]
    found = times(seen(0, a="1", b="1", c="1"), *roll, seen(40, a="2", b="2", c="2"))
    assert found == {DeployKind.RESTART: 1, DeployKind.REPLACE: 0, DeployKind.SCALE_OUT: 0, DeployKind.SCALE_IN: 0}


def test_the_last_episode_counts_too() -> None:
    assert times(seen(0, a="1", b="1"), seen(30, a="2", b="1"), seen(30.1, a="2", b="2"))[DeployKind.RESTART] == 1


def test_one_client_of_many_that_is_back_is_no_rolling_restart() -> None:
    found = times(seen(0, a="1", b="1", c="1", d="1"), seen(30, a="2", b="1", c="1", d="1"))
    assert not any(found.values())


def test_less_than_half_of_the_clients_is_no_rolling_restart() -> None:
    before = dict.fromkeys("abcde", "1")
    assert times(seen(0, **before), seen(30, **before | {"a": "2", "b": "2"}))[DeployKind.RESTART] == 0
    assert times(seen(0, **before), seen(30, **before | {"a": "2", "b": "2", "c": "2"}))[DeployKind.RESTART] == 1


def test_who_is_gone_and_who_has_come_are_a_replacement_and_the_rest_is_scaled() -> None:
    found = times(seen(0, a="1", b="1"), seen(10, a="1", c="1", d="1"), seen(40, a="1"))
    assert (found[DeployKind.REPLACE], found[DeployKind.SCALE_OUT], found[DeployKind.SCALE_IN]) == (1, 1, 2)


def test_what_keeps_no_name_is_the_same_where_it_runs_on_the_same_host() -> None:
    before, after = seen(0, a="1", b="1"), seen(30, c="2", d="2")
    after.hosts["c"], after.hosts["d"] = "host-a", "host-b"  # type: ignore[index]
    assert times(before, after)[DeployKind.RESTART] == 1


def test_a_short_past_says_nothing() -> None:
    assert counted(()) is None
    assert counted([seen(0, a="1"), seen(23, a="2")]) is None


def test_given_goes_before_the_past_and_the_past_before_an_assumption() -> None:
    past = Counted(61, {DeployKind.RESTART: 16, DeployKind.REPLACE: 1})
    found = {one.kind: one for one in deploys({DeployKind.REPLACE: 0.5}, past)}
    assert (found[DeployKind.RESTART].monthly, found[DeployKind.RESTART].source) == (7.98, CountedFrom.PAST)
    assert (found[DeployKind.REPLACE].monthly, found[DeployKind.REPLACE].source) == (0.5, CountedFrom.GIVEN)
    assert found[DeployKind.SCALE_IN].monthly == 0
    assert {one.source for one in deploys({}, None)} == {CountedFrom.ASSUMED}


def generation(number: int, hours: int, *members: GenerationMember) -> Generation:
    return Generation(number, (START + timedelta(hours=hours)).isoformat().replace("+00:00", "Z"), None, "range", members)


def consumer(member_id: str, client_id: str, host: str, instance: str | None = None) -> GenerationMember:
    return GenerationMember(member_id, client_id, host, instance, base64.b64decode(""), b"")


def test_a_consumer_is_its_instance_or_its_client_on_its_host() -> None:
    past = past_seen.of_consumers(
        (
            generation(1, 0, consumer("m1", "app", "/a"), consumer("m2", "app", "/b"), consumer("s1", "app", "/c", "static")),
            generation(2, 48, consumer("m3", "app", "/a"), consumer("m4", "app", "/b"), consumer("s2", "app", "/d", "static")),
        )
    )
    assert times(*past)[DeployKind.RESTART] == 1
    assert set(past[0].there) == {"app /a", "app /b", "static"}
