"""Recorded rebalances of real groups, twice: what was reported and what was decided (recorded by `python -m tests.live.record`)."""

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.errors import CannotPredict, MalformedBytes, Unsupported
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import LeaderFailure, NextRebalance
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.rollout.json.strict import loads
from holdfast.rollout.streams.snapshot import groups, replay
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.replay import Decision, HandedOver, ReplayDifference
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

RECORDED = Path(__file__).parents[3] / "recorded"
RELEASES = ("2.7.2", "3.9.1", "4.3.1")
FIRST_IN_ORDER = "4b61083e-57d0-457d-951f-d06556c148ca"
"""The client that the first recorded change replaces by its own process metadata on an empty disk."""
FIRST_MEMBER = HandedOver("first", (TaskId(0, 0), TaskId(1, 0)), (), NextRebalance.NONE)
SECOND_MEMBER = HandedOver("second", (), (TaskId(1, 0),), NextRebalance.PROBING, 1_700_000_000_000)


def recorded(release: str) -> Snapshot:
    return snapshot_from_json(loads((RECORDED / f"streams-{release}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("release", RELEASES)
def test_every_recorded_leader_decided_as_we_decide(release: str) -> None:
    snapshot = recorded(release)
    group = groups.group_of(snapshot)
    assert len(snapshot.generations) >= 10
    for generation in snapshot.generations:
        reported = replay.reported_group(generation, group.tasks, release, group.config)
        ours = replay.our_decision(leader.assign(reported))
        assert replay.differences(ours, replay.leaders_decision(generation)) == (), f"generation {generation.number}"


@pytest.mark.parametrize("release", RELEASES)
def test_the_last_recorded_rebalance_settled_and_the_first_of_a_reshuffle_did_not(release: str) -> None:
    decisions = [replay.leaders_decision(generation) for generation in recorded(release).generations]
    assert decisions[-1].settled
    assert any(not decision.settled for decision in decisions)
    probing = [member for decision in decisions for member in decision.members if member.next_rebalance is NextRebalance.PROBING]
    assert probing
    assert all(member.next_rebalance_at_ms is not None for member in probing)


def test_a_reported_group_has_the_leader_the_threads_and_what_they_own() -> None:
    snapshot = recorded("3.9.1")
    generation = snapshot.generations[0]
    group = groups.group_of(snapshot)
    reported = replay.reported_group(generation, group.tasks, group.release, group.config)
    assert {len(client.consumers) for client in reported.clients} == {2}
    assert [consumer.metadata_version for client in reported.clients for consumer in client.consumers] == [11] * 4
    led = next(client for client in reported.clients if client.process_id == reported.leader_process_id)
    assert generation.leader_member_id in {consumer.member_id for consumer in led.consumers}
    replaced = next(client for client in reported.clients if client.process_id == ProcessId.parse(FIRST_IN_ORDER))
    assert all(consumer.owned == () for consumer in replaced.consumers)


def test_differences_name_the_member_and_what_it_was_told() -> None:
    leaders = Decision((FIRST_MEMBER, SECOND_MEMBER))
    ours = Decision((replace(FIRST_MEMBER, active=(TaskId(0, 0),)), replace(SECOND_MEMBER, next_rebalance=NextRebalance.NONE)))
    assert replay.differences(ours, leaders) == (
        ReplayDifference("first", "active", "0_0", "0_0 1_0"),
        ReplayDifference("second", "next rebalance", "none", "probing"),
    )


def test_a_deadline_is_the_leaders_clock_and_not_compared() -> None:
    ours = Decision((FIRST_MEMBER, replace(SECOND_MEMBER, next_rebalance_at_ms=None)))
    assert replay.differences(ours, Decision((FIRST_MEMBER, SECOND_MEMBER))) == ()


def test_a_member_that_only_one_decision_has_is_a_difference() -> None:
    one, both = Decision((FIRST_MEMBER,)), Decision((FIRST_MEMBER, SECOND_MEMBER))
    assert replay.differences(one, both) == (ReplayDifference("second", "member", "absent", "present"),)
    assert replay.differences(both, one) == (ReplayDifference("second", "member", "present", "absent"),)


def test_an_error_code_is_the_whole_answer() -> None:
    failed = replay.our_decision(LeaderFailure("a source topic is missing", 1))
    assert replay.differences(failed, Decision((FIRST_MEMBER,), error_code=1)) == ()
    assert replay.differences(failed, Decision((FIRST_MEMBER,))) == (ReplayDifference("", "error code", "1", "0"),)
    assert not failed.settled


def test_what_cannot_be_replayed_is_refused_by_name() -> None:
    snapshot = recorded("3.9.1")
    group = groups.group_of(snapshot)
    generation = snapshot.generations[0]

    def replayed(changed: Generation) -> object:
        return replay.reported_group(changed, group.tasks, group.release, group.config)

    with pytest.raises(Unsupported, match="'range'"):
        replayed(replace(generation, protocol="range"))
    with pytest.raises(CannotPredict, match="'somebody else' as leader"):
        replayed(replace(generation, leader_member_id="somebody else"))
    with pytest.raises(MalformedBytes):
        replayed(_with_first_subscription(generation, generation.members[0].subscription[:-1]))
    with pytest.raises(Unsupported, match="metadata version 12"):
        replayed(_with_first_subscription(generation, _of_version_12(generation.members[0].subscription)))


def test_a_member_that_asks_for_a_shutdown_ends_everybody() -> None:
    """KIP-671: the leader answers all with the error code, and assigns nothing."""
    snapshot = recorded("3.9.1")
    group = groups.group_of(snapshot)
    generation = snapshot.generations[0]
    asking = _with_first_subscription(generation, _asking_for_shutdown(generation.members[0].subscription))

    decision = leader.assign(replay.reported_group(asking, group.tasks, group.release, group.config))

    assert replay.our_decision(decision) == Decision((), error_code=4)


def _with_first_subscription(generation: Generation, subscription: bytes) -> Generation:
    first, *others = generation.members
    return replace(generation, members=(replace(first, subscription=subscription), *others))


def _asking_for_shutdown(subscription: bytes) -> bytes:
    envelope = consumer_protocol.decode_subscription(subscription)
    info = subscription_info.decode(envelope.user_data or b"")
    assert isinstance(info, subscription_info.SubscriptionInfo)
    user_data = subscription_info.encode(replace(info, error_code=4))
    return consumer_protocol.encode_subscription(replace(envelope, user_data=user_data))


def _of_version_12(subscription: bytes) -> bytes:
    envelope = consumer_protocol.decode_subscription(subscription)
    user_data = (12).to_bytes(4, "big") + (12).to_bytes(4, "big")
    return consumer_protocol.encode_subscription(replace(envelope, user_data=user_data))
