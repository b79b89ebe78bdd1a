"""Random histories are judged equal, whatever is known of them; damaged records are named, and nothing else breaks."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.harness.kafka import recorded_rebalances
from tests.harness.kafka.recorded_rebalances import of_tasks
from tests.unit.rollout.consumer.backtest.test_consumer_backtest import history as consumer_history

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.release import LINES, behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Assignment, Client, Consumer, Group
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Judged
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.kinds import backtests, mismatch_file
from holdfast.rollout.kinds.backtests import AnyQuestion
from holdfast.rollout.streams.backtest import releases

EVERY_LINE = tuple(line.releases[-1] for line in LINES)
SEEDS = st.integers(0, 2**32)


def a_group(chance: random.Random) -> Group:
    clients = tuple(
        Client(
            ProcessId.parse(f"{chance.getrandbits(32):08x}-1111-4111-8111-{chance.getrandbits(48):012x}"),
            tuple(Consumer(f"c{number}-{thread}", f"c{number}-{thread}") for thread in range(threads)),
            host=f"host-{number}",
        )
        for number in range(chance.randint(1, 5))
        for threads in (chance.randint(1, 3),)
    )
    config = AssignorConfig(chance.choice((0, 0, 1, 2)), chance.choice((1, 2, 4)), chance.choice((0, 100, 10_000)))
    tasks = of_tasks(0, chance.randint(1, 12), chance.choice((0, 50, 20_000)))
    return Group(chance.choice(EVERY_LINE), config, tasks, clients, clients[0].process_id)


def settings_of(group: Group) -> tuple[tuple[str, int], ...]:
    config = group.config
    return (
        ("acceptable.recovery.lag", config.acceptable_recovery_lag),
        ("max.warmup.replicas", config.max_warmup_replicas),
        ("num.standby.replicas", config.num_standby_replicas),
    )


@settings(max_examples=examples(60), deadline=None)
@given(seed=SEEDS)
@example(seed=203610380)  # 4.2.1 and 4.3.1 decide its first rebalance alike, and what members report then differs
def test_what_the_model_decided_is_never_found_to_differ(seed: int) -> None:
    chance = random.Random(seed)
    group = a_group(chance)
    found = tuple(recorded_rebalances.history(group, 8, chance))
    ends = (("app-0-changelog", tuple(task.end_offset_sum for task in group.tasks)),)
    known = Given(group.release, config=settings_of(group), changelogs=ends)

    for given_part in (known, replace(known, changelogs=()), replace(known, release=None)):
        result = backtests.backtest("app", lambda: found, given_part)
        assert result is not None
        assert [(one.number, one.differences) for one in result.rebalances if one.judged is Judged.DIFFERENT] == []
        assert result.score.ends_equal == result.score.sequences


@settings(max_examples=examples(60), deadline=None)
@given(seed=SEEDS)
def test_an_exchange_is_never_equal_and_is_the_same_without_names(seed: int) -> None:
    chance = random.Random(seed)
    group = a_group(chance)
    found = list(recorded_rebalances.history(group, 6, chance))
    at = chance.randrange(len(found))
    other = recorded_rebalances.swapped(found[at])
    if other is None:
        return
    found[at] = other
    kept: list[AnyQuestion] = []
    ends = (("app-0-changelog", tuple(task.end_offset_sum for task in group.tasks)),)
    known = Given(group.release, config=settings_of(group), changelogs=ends)
    result = backtests.backtest("app", lambda: found, known, lambda question, _: kept.append(question))

    assert result is not None
    (judged,) = [one.judged for one in result.rebalances if one.number == other.number]
    assert judged in (Judged.DIFFERENT, Judged.NOT_JUDGED, Judged.INFERRED)
    for question in kept:
        sent = mismatch_file.sendable(question)
        assert sent is not None
        assert mismatch_file.from_json(mismatch_file.to_json(sent.question)) == sent.question


@settings(max_examples=examples(100), deadline=None)
@given(seed=SEEDS)
def test_releases_that_are_tried_as_one_decide_alike(seed: int) -> None:
    chance = random.Random(seed)
    group = a_group(chance)
    version = behaviour(group.release).metadata_version
    for _, same in releases.unlike(releases.fitting(version), group.config, one_version=True):
        decisions = [leader.assign(replace(group, release=release)) for release in same]
        consumers = [one.consumers for one in decisions if isinstance(one, Assignment)]
        assert len(consumers) == len(same)
        assert all(one == consumers[0] for one in consumers)


@settings(max_examples=examples(100), deadline=None)
@given(seed=SEEDS)
def test_damaged_records_are_results_and_no_errors(seed: int) -> None:
    chance = random.Random(seed)
    streams = tuple(recorded_rebalances.history(a_group(chance), 4, chance))
    consumers = tuple(consumer_history("3.9.1", chance.choice(list(Assignor)), 4, chance))

    for found in (streams, consumers):
        damaged = tuple(_damaged(found, chance))
        result = backtests.backtest("app", lambda damaged=damaged: damaged, Given())
        assert result is not None
        assert result.score.rebalances == len(damaged)


def _damaged(found: tuple[Generation, ...], chance: random.Random) -> Iterator[Generation]:
    """A byte, or the rest, of what one member sent or was sent."""
    for one, name in product(found, ("subscription", "assignment")):
        index = chance.randrange(len(one.members))
        member = one.members[index]
        data = bytearray(getattr(member, name))
        at = chance.randrange(len(data))
        if chance.random() < 0.3:
            del data[at:]
        else:
            data[at] = chance.randrange(256)
        changed = replace(member, **{name: bytes(data)})
        yield replace(one, members=(*one.members[:index], changed, *one.members[index + 1 :]))
