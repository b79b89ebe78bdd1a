"""A group that goes to another release of Kafka Streams: who leads decides as the new one does."""

import pytest
from tests.harness.article import AFTER, LAST, A, B, Document, change, group
from tests.harness.plans import planned

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Assignment
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.steps.steps import RollOutRelease


def outcome(document: object, *events: object) -> Outcome:
    (found,) = forecast(snapshot_from_json(document), change_from_json(change(*events))).outcomes
    return found


def test_the_new_release_decides_from_then_on() -> None:
    """2.7.2 restores a task on its target where no client has it; 3.9.1 gives warm-ups in another order: the rounds must be
    those."""
    joins = {"add_client": {"process_id": LAST, "threads": 2}}
    upgrade = {"set_release": {"kafka_release": "3.9.1"}}

    old = outcome(group(AFTER, "2.7.2"), joins)
    new = outcome(group(AFTER, "3.9.1"), joins)
    both = outcome(group(AFTER, "2.7.2"), upgrade, joins)

    assert decisions(both) == decisions(new)
    assert decisions(both) != decisions(old)


def decisions(found: Outcome) -> list[Assignment]:
    return [one.decision for one in found.rounds if isinstance(one.decision, Assignment)]


def test_after_an_upgrade_disks_report_as_the_new_release_reads_them() -> None:
    """Up to 4.2 a closed copy reports one too few a changelog, so that a standby elsewhere takes over; from 4.3 it does not."""
    standbys = ({"set_config": {"num.standby.replicas": 1}}, {"then": "stable"})
    upgrade = ({"set_release": {"kafka_release": "4.3.1"}}, {"then": "stable"})
    restart = {"restart_client": {"process_id": A}}

    def last_restart(release: str, *before: object) -> Assignment:
        found = outcome(group(AFTER, release), *standbys, *before, restart)
        return next(one.decision for one in reversed(found.rounds) if one.trigger is Trigger.CHANGE)

    assert last_restart("3.9.1", *upgrade) == last_restart("4.3.1") != last_restart("3.9.1")


@pytest.mark.parametrize(
    ("was", "copy", "assume", "moved"),
    [
        ("3.9.1", 7, {}, 0),  # all that 4.3 has to read is there: its record 7 is the last of 8
        ("3.9.1", 6, {}, 1),
        ("4.3.1", 7, {}, 1),  # 4.3 itself says 8 of such a copy
        ("3.9.1", 7, {"closed_copies": "end"}, 1),
    ],
)
def test_4_3_counts_the_last_record_of_copies_that_older_releases_left(was: str, copy: int, assume: Document, moved: int) -> None:
    """1_2 belongs on B, which comes back with what was on its disk; A runs it meanwhile."""
    document = group({**AFTER, A: (("0_1", "1_1", "1_2"), ("0_4", "1_4")), B: (("0_2",), ("0_5", "1_5"))}, was)
    next(iter(document["clients"][B]["consumers"].values()))["task_offset_sums"] = {"1_2": copy}
    requested = change({"set_release": {"kafka_release": "4.3.1"}}, {"then": "rebalance"}, **({"assume": assume} if assume else {}))
    (found,) = forecast(snapshot_from_json(document), change_from_json(requested)).outcomes
    first = decisions(found)[0]
    warm_ups = [task for client in first.clients for task in client.standby]

    assert len(warm_ups) == moved


def test_members_write_the_metadata_version_of_the_new_release() -> None:
    document = group(AFTER, "3.9.1")
    for client in document["clients"].values():
        for consumer in client["consumers"].values():
            consumer["metadata_version"] = 8

    found = outcome(document, {"set_release": {"kafka_release": "4.3.1"}})

    assert {consumer.metadata_version for client in found.clients for consumer in client.consumers} == {None}


def test_a_release_that_is_not_covered_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"events\[0\].set_release.kafka_release: .*'9.9.9' is not covered"):
        outcome(group(AFTER), {"set_release": {"kafka_release": "9.9.9"}})


@pytest.mark.thorough
def test_the_plan_rolls_every_client_and_survives_its_own_json() -> None:
    made = planned(group(AFTER, "3.8.1"), {"set_release": {"kafka_release": "3.9.1"}})

    upgrades = [step.action for step in made.steps if isinstance(step.action, RollOutRelease)]

    assert upgrades == [RollOutRelease("3.9.1", "3.8.1")]
    assert plan_json.plan_from_json(plan_json.plan_to_json(made)) == made
