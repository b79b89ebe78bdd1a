"""How long a client takes to start, as the group's own restarts show it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.cluster import streams_member
from tests.harness.article import AFTER, A, B, group
from tests.harness.plans import REPLACE_FIRST, planned, read

from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan import start_up
from holdfast.rollout.streams.plan.start_up import Away, Restarts
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Generation

BEGAN = datetime(2026, 11, 20, 12, tzinfo=UTC)
SESSION_S = 10
C = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
IN_TIME = Away(0, SESSION_S, late=False, missed=(7, 15))
AFTER_ANOTHER = replace(IN_TIME, apart_s=20.0)
LATE = Away(20 + 7 - 8, 10 + 20 + 5 + 8, late=True, missed=(20 + 7 - 8, 10 + 20 + 5 + 8))
HISTORY = ({A: 1, B: 1}, {A: 2, B: 1}, {A: 2, B: 2}, {A: 3, B: 2})
"""Three restarts, each back in time."""


def rebalances(
    *told: Mapping[str, int], every_s: int = 20, skipped: int | None = None, static: bool = False
) -> tuple[Generation, ...]:
    """One for each entry: who was there, and the how manieth start of it that was."""
    found = []
    for at, there in enumerate(told):
        members = tuple(
            replace(
                streams_member("wc", process_id, active={}),
                member_id=f"{process_id}-{start}",
                group_instance_id="i" if static else None,
                session_timeout_ms=SESSION_S * 1000,
            )
            for process_id, start in there.items()
        )
        number = at + (skipped is not None and at >= skipped)
        found.append(Generation(number, (BEGAN + timedelta(seconds=every_s * at)).isoformat(), None, "stream", members))
    return tuple(found)


@pytest.mark.parametrize(
    ("generations", "expected"),
    [
        (rebalances(*HISTORY), [IN_TIME, AFTER_ANOTHER, IN_TIME]),
        # Something else makes the group rebalance between the two.
        (rebalances({A: 1, B: 1}, {A: 2, B: 1}, {A: 2, B: 1}, {A: 2, B: 2}), [IN_TIME] * 2),
        # With a client that was in it before, another one begins: whatever came in between is no part of it.
        (rebalances({A: 1, B: 1}, {A: 2, B: 1}, {A: 2, B: 2}, {A: 3, B: 2}, {A: 3, B: 3}), [IN_TIME, AFTER_ANOTHER] * 2),
        # The same client twice, or a client that does not come back, is no rolling restart.
        (rebalances({A: 1, B: 1}, {A: 2, B: 1}, {A: 3, B: 1}), [IN_TIME] * 2),
        (rebalances({A: 1, B: 1, C: 1}, {A: 2, B: 1, C: 1}, {A: 2, B: 1}, {A: 2, B: 2}), [IN_TIME] * 2),
        # One that is back late is missed in a rebalance of its own.
        (
            rebalances({A: 1, B: 1}, {A: 2, B: 1}, {A: 2}, {A: 2, B: 2}),
            [IN_TIME, replace(LATE, apart_s=40.0)],
        ),
        (rebalances({A: 1, B: 1}, {A: 2, B: 1}, {A: 2, B: 2}, every_s=601), [IN_TIME] * 2),
        (rebalances({A: 1}, {A: 1}, {A: 1}), []),
        # Its session timed out, a rebalance came without it, and it was back for a later one.
        (rebalances({A: 1, B: 1}, {B: 1}, {A: 2, B: 1}), [LATE]),
        # For longer than a start takes: it was stopped.
        (rebalances({A: 1, B: 1}, {B: 1}, {A: 2, B: 1}, every_s=121), []),
        # Rebalances that are not recorded may have had it.
        (rebalances({A: 1, B: 1}, {A: 2, B: 1}, skipped=1), []),
        # Static members come back without a rebalance: what changes members then is something else.
        (rebalances({A: 1}, {A: 2}, static=True), []),
    ],
)
def test_what_rebalances_show(generations: tuple[Generation, ...], expected: list[Away]) -> None:
    assert list(start_up.restarts(generations, 45)) == expected


def test_with_the_stop_of_a_journal_a_restart_is_known_but_for_its_last_rebalance() -> None:
    """B is back in time with the third rebalance, 40 s after the first; or late, in the third, missed in the second."""

    def seen(told: tuple[Mapping[str, int], ...], stopped_s: float) -> list[Away]:
        past = rebalances(*told)
        ended = {one.member_id for one in past[0].members} - {one.member_id for one in past[2].members}
        at_ms = int((BEGAN.timestamp() + stopped_s) * 1000)
        restarts = Restarts(45, dict.fromkeys(ended, at_ms))
        return [away for one in past for away in restarts.take(one)]

    in_time, late = ({A: 1, B: 1}, {A: 1, B: 1}, {A: 1, B: 2}), ({A: 1, B: 1}, {A: 1}, {A: 1, B: 2})
    assert seen(in_time, 27) == [Away(0, 10, late=False, missed=(7, 13))]
    assert seen(in_time, 32) == [Away(0, 8, late=False, missed=(7, 8))]
    assert seen(late, 9) == [Away(22, 31, late=True, missed=(22, 31))]
    assert seen(late, 41) == seen(late, -200) == [LATE], "not this stop"


def learnt(policy: Policy, *told: Mapping[str, int]) -> Policy:
    return start_up.learnt(policy, replace(read(group(AFTER)), generations=rebalances(*told)))


def test_three_restarts_in_time_narrow_the_assumption() -> None:
    found = learnt(Policy(), *HISTORY)

    assert (found.start_up_s_least, found.start_up_s, found.start_up_s_most) == (1, 5, 2 * SESSION_S)
    assert found.start_up_says == "seen in 3 restarts of this group"


def test_late_ones_widen_it() -> None:
    found = learnt(Policy(), *({A: at, B: 1} if at % 2 else {B: 1} for at in range(1, 9)))

    assert (found.start_up_s, found.start_up_s_most, found.start_up_observations) == ((LATE.low + LATE.high) // 2, LATE.high, 3)


def test_two_say_too_little_and_what_the_team_states_counts() -> None:
    stated = Policy(start_up_s=7)

    assert learnt(Policy(), *HISTORY[:3]) == Policy()
    assert Policy().start_up_says == "assumed: state yours"
    assert learnt(stated, *HISTORY) == stated
    assert stated.start_up_says == "as your policy says"


def test_a_session_longer_than_the_assumption_says_nothing() -> None:
    snapshot = replace(
        read(group(AFTER)),
        generations=tuple(
            replace(one, members=tuple(replace(member, session_timeout_ms=45_000) for member in one.members))
            for one in rebalances(*HISTORY)
        ),
    )

    assert start_up.learnt(Policy(), snapshot) == Policy()


@pytest.mark.thorough
def test_a_plan_says_where_its_start_up_comes_from() -> None:
    document = group(AFTER)

    assert planned(document, REPLACE_FIRST).policy.start_up_observations is None
    known = snapshot_to_json(replace(read(document), generations=rebalances(*HISTORY)))
    plan = planned(known, REPLACE_FIRST)
    assert plan.policy.start_up_observations == 3
    assert plan.policy.start_up.high == 2 * SESSION_S
