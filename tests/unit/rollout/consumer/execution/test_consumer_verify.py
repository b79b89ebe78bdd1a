"""What later steps of a plan end, or change again, is no proof that earlier ones have not happened; and what no snapshot shows is
not called different."""

from dataclasses import replace

import pytest
from tests.harness.plain_groups import Document
from tests.unit.rollout.consumer.execution.test_consumer_rounds import planned
from tests.unit.workflows.test_plain_rollout import COMMITTED, COOPERATIVE, JOINS, lived

from holdfast.rollout.consumer.execution import courses, verify
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution import pairing
from holdfast.rollout.execution.pairing import Comer
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.kinds.verdict_words import verdict_blocks
from holdfast.rollout.text import document_blocks

STABLE = {"then": "stable"}
LEAVES_AGAIN = {"remove_consumer": {"member_id": "new"}}
TWICE = [{"restart_consumer": {"member_id": "a"}}, STABLE, {"restart_consumer": {"member_id": "a"}}]


def after(*events: object, **more: object) -> ConsumerSnapshot:
    return consumer_snapshot_from_json(lived(COOPERATIVE, *events, captured_at="2026-11-20T12:10:00Z", **more))


def shown(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> list[Shown]:
    found = verify.verify(plan, fresh)
    return [one.evidence.shown for one in found.steps if one.evidence.seen is None or one.evidence.seen.kind is not Sees.STABLE]


def test_a_consumer_that_joins_and_is_removed_again() -> None:
    plan = planned(JOINS, STABLE, LEAVES_AGAIN)

    assert verify.verify(plan, plan.basis).result is Result.NOT_YET
    assert verify.verify(plan, after(JOINS)).result is not Result.AS_FORECAST
    gone = verify.verify(plan, after(JOINS, STABLE, LEAVES_AGAIN))
    assert (gone.result, gone.differences) == (Result.AS_FORECAST, ())
    assert gone.steps[0].evidence.shown is Shown.CANNOT_SHOW


def test_that_it_joined_shows_where_a_later_step_has_ended_others() -> None:
    also = {"remove_consumer": {"member_id": "a"}}
    plan = planned(JOINS, STABLE, LEAVES_AGAIN, also)

    assert shown(plan, after(JOINS, STABLE, LEAVES_AGAIN, also))[0] is Shown.HAPPENED
    assert shown(plan, replace(after(also), generation=12))[0] is Shown.NOT_YET, "it has not rebalanced"


def test_topics_that_two_steps_change() -> None:
    grows = [{"add_partitions": {"topic": "orders", "partitions": count}} for count in (8, 9)]
    plan = planned(grows[0], STABLE, grows[1])

    def at(count: int) -> list[Shown]:
        topics = {"orders": {"partitions": [{"id": number} for number in range(count)]}}
        return shown(plan, consumer_snapshot_from_json(COOPERATIVE | {"generation": 14, "topics": topics}))

    assert at(9)[:1] == [Shown.HAPPENED]
    assert at(10)[0] is Shown.CONTRADICTED
    assert at(6)[0] is Shown.NOT_YET
    goes = planned({"remove_topic": {"topic": "orders"}}, STABLE, {"add_topic": {"topic": "orders", "partitions": 4}})
    assert shown(goes, goes.basis)[0] is Shown.NOT_YET
    four = {"orders": {"partitions": COMMITTED[:4]}}
    back = replace(consumer_snapshot_from_json(COOPERATIVE | {"topics": four}), generation=14)
    assert shown(goes, back)[0] is Shown.HAPPENED


def test_a_partition_elsewhere_is_different_still() -> None:
    """Under each ID that the consumer may have had between its two restarts."""
    plan = planned(*TWICE)
    fresh = after(*_named(*TWICE))
    assert verify.verify(plan, fresh).result is Result.AS_FORECAST

    first, *others = fresh.members
    moved = replace(fresh, members=(replace(first, owned=()), *(replace(one, owned=(*one.owned, *first.owned)) for one in others)))
    found = verify.verify(plan, moved)
    assert (found.result, found.unknown) == (Result.DIFFERENT, ())


def test_where_not_every_possibility_was_compared_nothing_is_called_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses, "LEAST_COURSES", 1)
    monkeypatch.setattr(courses, "MOST_COURSES", 1)
    plan = planned(*TWICE)
    fresh = after(*_named(*TWICE))
    first, *others = fresh.members
    moved = replace(fresh, members=(replace(first, owned=()), *(replace(one, owned=(*one.owned, *first.owned)) for one in others)))
    found = verify.verify(plan, moved)

    assert (found.result, found.differences, found.partitions) == (Result.NOT_COMPARED, (), ())
    assert [one.what for one in found.unknown] == ["partitions"]
    text = document_blocks.to_markdown(verdict_blocks(found))
    assert "not compared" in text.splitlines()[0]
    assert "no snapshot shows all of them" in text


def test_many_new_consumers_are_known_by_their_hosts() -> None:
    """More than can be tried in every order."""
    hosts = [f"app-{number}" for number in range(7)]
    wanted = [_comer(f"n{number}", host) for number, host in enumerate(hosts)]
    found = [_comer(f"{9 - number}", host) for number, host in enumerate(hosts)]

    orders = pairing.orders(wanted, sorted(found))
    assert [[one.host for one in order] for order in orders] == [hosts]
    alike = [one._replace(host="app-0") for one in found]
    assert len(pairing.orders(wanted, alike)) == pairing.MOST_PAIRINGS + 1


def _comer(member_id: str, host: str) -> Comer:
    return Comer(member_id, None, frozenset({"orders"}), host, "")


def _named(*events: Document) -> list[Document]:
    """The consumer comes back under two IDs, one after the other."""
    first, second = ({"restart_consumer": {"member_id": old, "new_member_id": new}} for old, new in (("a", "q"), ("q", "c1")))
    return [first, STABLE, second]
