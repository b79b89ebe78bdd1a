"""A crash loop is distinguished from a copied process ID, on a recorded one: a client of 3.9.1 that ran a few seconds, again and
again."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, C, Document, group

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.guard import guard
from holdfast.rollout.streams.guard.guard import Trap
from holdfast.rollout.streams.snapshot import churn
from holdfast.rollout.streams.snapshot.churn import Twice
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RECORDED = Path(__file__).resolve().parents[3] / "recorded"
DOCUMENT = json.loads((RECORDED / "crash-loop-3.9.1.json").read_text())
LOOP = snapshot_from_json(DOCUMENT)
DYING = ProcessId.parse(C)


def until(number: int) -> Snapshot:
    """The group two seconds after a generation of the recording, its clients as that generation has them."""
    generations = tuple(one for one in LOOP.generations if one.number <= number)
    at = datetime.fromisoformat(generations[-1].completed_at) + timedelta(seconds=2)
    by_process: dict[ProcessId, list[Consumer]] = {}
    for member, process_id in churn.processes_of(generations[-1]):
        assert process_id is not None
        by_process.setdefault(process_id, []).append(Consumer(member.member_id, member.client_id))
    clients = tuple(Client(one, tuple(consumers), "127.0.0.1") for one, consumers in by_process.items())
    return replace(LOOP, generations=generations, clients=clients, captured_at=at.isoformat(), leader_process_id=None)


def later(snapshot: Snapshot, seconds: int) -> Snapshot:
    assert snapshot.captured_at is not None
    return replace(snapshot, captured_at=(datetime.fromisoformat(snapshot.captured_at) + timedelta(seconds=seconds)).isoformat())


def on_hosts(snapshot: Snapshot, *hosts: str) -> Snapshot:
    """The dying client's members, as they are in each generation, on these hosts in turn."""
    generations = []
    for generation in snapshot.generations:
        mine = [member.member_id for member, process_id in churn.processes_of(generation) if process_id == DYING]
        generations.append(
            replace(
                generation,
                members=tuple(
                    replace(one, client_host=f"/{hosts[mine.index(one.member_id) % len(hosts)]}") if one.member_id in mine else one
                    for one in generation.members
                ),
            )
        )
    return replace(snapshot, generations=tuple(generations))


def test_the_client_that_dies_again_and_again_is_named() -> None:
    (found,) = churn.churning(LOOP.generations, LOOP.captured_at)

    assert (found.process_id, found.starts, found.rebalances) == (DYING, 7, 9)
    assert f"Client {C} (127.0.0.1) was started 7 times within" in churn.in_words(found)
    assert "9 rebalances" in churn.in_words(found)


@pytest.mark.parametrize(("number", "starts"), [(2, None), (3, None), (4, 4), (6, 4), (9, 7)])
def test_it_is_said_from_the_fourth_start_on(number: int, starts: int | None) -> None:
    """The fourth generation has two starts of it at once: the one before had not timed out."""
    found = churn.churning(until(number).generations)

    assert [one.starts for one in found] == ([] if starts is None else [starts])


def test_what_is_long_ago_is_over() -> None:
    assert churn.churning(LOOP.generations, later(LOOP, 3_600).captured_at) == ()


def test_a_roll_of_everybody_twice_is_no_crash_loop() -> None:
    for name in ("streams-2.7.2", "streams-3.9.1", "streams-4.3.1"):
        snapshot = snapshot_from_json(json.loads((RECORDED / f"{name}.json").read_text()))
        assert churn.churning(snapshot.generations, snapshot.captured_at) == (), name


def test_guard_says_it_and_advises_no_deletion() -> None:
    found = [one for one in guard.look(LOOP).findings if one.trap is Trap.CHURN]

    assert [one.process_ids for one in found] == [(DYING,)]
    assert "elete" not in found[0].remedy
    assert "Leave its state directory" in found[0].remedy


def test_one_that_keeps_the_group_from_being_stable_is_named_in_the_refusal() -> None:
    rebalancing = replace(LOOP, group_state="PreparingRebalance", clients=(), leader_process_id=None)

    with pytest.raises(CannotPredict, match=f"was rebalancing.*Client {C} .* was started 7 times"):
        guard.look(rebalancing)


class TestTwice:
    """The fourth generation has the dying client's members of two starts, four for two threads."""

    def test_beside_an_earlier_start_it_is_no_duplicate(self) -> None:
        snapshot = until(4)
        client = snapshot.client(DYING)
        assert client is not None
        assert len(client.consumers) == 4
        assert churn.why_twice(snapshot, client) is Twice.EARLIER_START

        traps = {one.trap: one for one in guard.look(snapshot).findings}
        assert Trap.TWICE not in traps
        assert "Keep its process ID" in traps[Trap.EARLIER_START].remedy

    def test_on_two_hosts_it_is_not_certain(self) -> None:
        snapshot = on_hosts(until(4), "10.0.0.1", "10.0.0.2")
        client = snapshot.client(DYING)
        assert client is not None
        assert churn.why_twice(snapshot, client) is Twice.NOT_CERTAIN

    @pytest.mark.parametrize(("seconds", "found"), [(15, Twice.NOT_CERTAIN), (25, Twice.TWO_PROCESSES)])
    def test_together_for_two_session_time_outs_they_are_two(self, seconds: int, found: Twice) -> None:
        """The members' own session timeout is 10 s."""
        snapshot = later(on_hosts(until(4), "10.0.0.1", "10.0.0.2"), seconds)
        client = snapshot.client(DYING)
        assert client is not None
        assert churn.why_twice(snapshot, client) is found

    def test_nothing_that_is_advised_deletes(self) -> None:
        for seconds in (0, 15, 3_600):
            for hosts in (("10.0.0.1",), ("10.0.0.1", "10.0.0.2")):
                for one in guard.look(later(on_hosts(until(4), *hosts), seconds)).findings:
                    assert "elete" not in one.remedy


def test_without_recorded_rebalances_it_is_not_certain() -> None:
    document: Document = group(AFTER)
    for consumer in document["clients"][A]["consumers"].values():
        consumer["client_id"] = "the same"
    (finding,) = [one for one in guard.look(snapshot_from_json(document)).findings if one.process_ids == (ProcessId.parse(A),)]

    assert finding.trap is Trap.EARLIER_START
    assert "Take a new snapshot" in finding.remedy


def test_each_start_under_a_new_process_id_is_known_by_its_host() -> None:
    """No file keeps it (2.6.1, stores in memory): the recorded client under another ID at each start."""
    text = dumps(DOCUMENT)
    generations = []
    for index, one in enumerate(snapshot_from_json(loads(text)).generations):
        other = ProcessId(DYING.upper, index)
        members = tuple(
            replace(member, subscription=member.subscription.replace(_bytes(DYING), _bytes(other)), client_host=f"/{_host(found)}")
            for member, found in churn.processes_of(one)
        )
        generations.append(replace(one, members=members))
    (found,) = churn.churning(generations)

    assert (found.process_id, found.host) == (None, "10.0.0.9")
    assert found.starts >= churn.STARTS
    assert "each time under a new process ID" in churn.in_words(found)


def _bytes(process_id: ProcessId) -> bytes:
    return b"".join(half.to_bytes(8, "big", signed=True) for half in process_id)


def _host(process_id: ProcessId | None) -> str:
    return "10.0.0.9" if process_id == DYING else "10.0.0.1"


def test_hostile_bytes_are_no_start() -> None:
    broken = tuple(
        replace(one, members=tuple(replace(member, subscription=b"\xff") for member in one.members)) for one in LOOP.generations
    )

    assert churn.churning(broken) == ()
