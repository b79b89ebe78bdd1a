"""The text that is written at once is the text of the document."""

import random
from dataclasses import replace

from tests.conformance.streams import groups, random_groups
from tests.harness.examples import examples

from holdfast.errors import CannotPredict
from holdfast.kafka.release import LINES
from holdfast.kafka.streams.group import Assignment, ConsumerAssignment, LeaderFailure, NextRebalance
from holdfast.kafka.streams.leader import assign
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.streams.forecast.assignment_json import assignment_to_json
from holdfast.rollout.streams.forecast.assignment_text import assignment_to_text

ODD = ("é", '"', "\\", "\n", "\x7f", "\u2028", "😀", "/", "</script>")


def test_decisions_for_random_groups_are_written_alike() -> None:
    releases = [line.releases[-1] for line in LINES]
    chance = random.Random(11)
    seen: set[str] = set()
    for seed in range(examples(200)):
        release = releases[seed % len(releases)]
        try:
            decision = assign(groups.group_of(random_groups.random_case(seed, release), release))
        except CannotPredict:
            continue
        if isinstance(decision, Assignment):
            odd = tuple(_renamed(one, chance.choice(ODD)) for one in decision.consumers)
            seen.update(one.next_rebalance for one in odd)
            assert assignment_to_text(replace(decision, consumers=odd)) == dumps(
                assignment_to_json(replace(decision, consumers=odd))
            )
        assert assignment_to_text(decision) == dumps(assignment_to_json(decision))
    assert {NextRebalance.NONE, NextRebalance.IMMEDIATE, NextRebalance.PROBING} <= seen


def _renamed(one: ConsumerAssignment, odd: str) -> ConsumerAssignment:
    return one._replace(member_id=f"{odd}{one.member_id}")


def test_a_failure_is_written_alike() -> None:
    for failure in (LeaderFailure("x"), LeaderFailure("x", 1)):
        assert assignment_to_text(failure) == dumps(assignment_to_json(failure))


def test_a_consumer_with_standbys_only_is_written_alike() -> None:
    share = ConsumerAssignment("m", (), (TaskId(0, 1),), (), NextRebalance.NONE)
    decision = Assignment(False, (), (share,))

    assert assignment_to_text(decision) == dumps(assignment_to_json(decision))
