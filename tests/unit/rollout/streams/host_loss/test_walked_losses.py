"""A loss that is walked without decisions is what its course is, in every field: random groups of every line of releases, with
standbys, copies here and there, tags, uneven threads, tight settings and changelogs that were not measured."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from benchmarks import synthetic_fleet
from tests.harness.examples import examples

from holdfast.kafka.release import LINES
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import LATEST_OFFSET
from holdfast.rollout.streams.host_loss import forecast_losses, loss_times
from holdfast.rollout.streams.host_loss.blast_radius import FigureBasis, Loss, blast_radius, change_of
from holdfast.rollout.streams.host_loss.walked_losses import WalkedLosses
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

SEEDS = range(4000, 4400)


def group_of(seed: int) -> Snapshot:
    chance = random.Random(seed)
    numbers = (number for number in range(seed * 50, seed * 50 + 50))
    found = (synthetic_fleet.group(number, 11).after for number in numbers)
    snapshot = next(one for one in found if 2 <= len(one.clients) <= 5 and len(one.tasks) <= 24)
    config = dict(snapshot.config) | {
        "num.standby.replicas": chance.choice((0, 1, 1, 2)),
        "acceptable.recovery.lag": chance.choice((0, 100, 10_000, 10_000, 1_000_000)),
        "max.warmup.replicas": chance.randint(1, 4),
        "probing.rebalance.interval.ms": chance.choice((60_000, 600_000, 90_500)),
    }
    ends = {task.id: task.end_offset_sum or 0 for task in snapshot.tasks if task.stateful}
    return replace(
        snapshot,
        kafka_release=chance.choice(LINES).releases[-1],
        config=tuple(sorted(config.items())),
        clients=tuple(_with_copies(client, ends, chance) for client in snapshot.clients),
        topics=snapshot.topics if chance.random() < 0.8 else snapshot.topics[:-1],
        leader_process_id=chance.choice((snapshot.leader_process_id, None)),
    )


def _with_copies(client: Client, ends: dict, chance: random.Random) -> Client:
    """Copies that clients hold of what they do not run, some of them complete."""
    first, *rest = client.consumers
    mine = {task for one in client.consumers for task, _ in one.task_offset_sums}
    more = [(task, end if chance.random() < 0.3 else chance.randint(0, end)) for task, end in ends.items() if task not in mine]
    reported = [one for one in first.task_offset_sums if one[1] == LATEST_OFFSET or chance.random() < 0.8]
    added = [one for one in more if chance.random() < 0.1]
    return replace(client, consumers=(replace(first, task_offset_sums=tuple(sorted((*reported, *added)))), *rest))


def both(snapshot: Snapshot, losses: list[Loss]) -> list[tuple[Loss, Loss | None]]:
    """Each of the losses one by one, and walked."""
    one_by_one = list(forecast_losses.forecasts(snapshot, losses))
    before, policy = dict(ownership.owners(snapshot)), loss_times.policy_of(snapshot)
    common = WalkedLosses.of(snapshot, before, policy, forecast_losses.MOST_REBALANCES)
    assert common is not None
    walked = [common.forecast(loss, change_of(loss)) for loss in losses]
    return list(zip(one_by_one, walked, strict=True))


def of_one_client(snapshot: Snapshot, seed: int) -> list[Loss]:
    lost = random.Random(seed).sample([client.process_id for client in snapshot.clients], 2)
    losses = [loss for radius in blast_radius(snapshot, tuple(lost)) for loss in radius.losses]
    return [replace(loss, basis=FigureBasis.NOT_FORECAST) for loss in losses]


def test_walked_losses_equal_their_courses() -> None:
    found = Counter[str]()
    for seed in SEEDS[: examples(8)]:
        snapshot = group_of(seed)
        for loss, walked in both(snapshot, of_one_client(snapshot, seed)):
            if walked is None:
                found["left"] += 1
                continue
            place = walked.place if walked.place is None else replace(walked.place, moved=walked.moved or 0)
            assert replace(walked, place=place) == loss, f"seed {seed}: {loss.scenario} of {loss.process_id}"
            found[str(walked.restore_bytes is None)] += 1
            found["several"] += (walked.rebalances or 0) > 3

    assert found["False"] > found["left"]
    assert found["several"] > 10


@pytest.mark.thorough
def test_what_exceeds_the_limits_is_left_to_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = group_of(SEEDS[0])
    losses = of_one_client(snapshot, 0)
    before, policy = dict(ownership.owners(snapshot)), loss_times.policy_of(snapshot)
    least = WalkedLosses.of(snapshot, before, policy, 1)
    assert least is not None
    walked = [least.forecast(loss, change_of(loss)) for loss in losses]

    assert None in walked
    assert all(one is None or one.rebalances == 1 for one in walked)
