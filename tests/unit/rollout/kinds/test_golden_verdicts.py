"""Does a verdict read as before, for every kind of group and every result, as text, as Markdown and as a part of a page?"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, altered, client, group
from tests.harness.golden import MEDIA, hold
from tests.harness.plain_groups import Document, change, member
from tests.harness.plain_groups import group as consumer_group
from tests.harness.plans import NOON, article_plan, read, with_client, without_client
from tests.unit.rollout.broker_streams.execution.acted_out import KIND, after, plan_for
from tests.unit.rollout.broker_streams.execution.test_broker_verify import JOINS_IN_ANY_ORDER, REMOVE, ROLL, STANDBYS
from tests.unit.rollout.broker_streams.execution.test_broker_verify import swapped as other_owners

from holdfast.rollout.broker_streams.execution import starts
from holdfast.rollout.broker_streams.execution.verdict import BrokerVerdict
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.execution import courses
from holdfast.rollout.consumer.execution import verify as consumer_verify
from holdfast.rollout.consumer.execution.verdict import ConsumerVerdict
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.kinds.verdict_words import verdict_blocks
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.verdict import Verdict
from holdfast.rollout.streams.execution.verify import verify
from holdfast.workflows import plan as planning

BASELINE = Policy(exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first"))
REPLACED = {
    A: (("0_0", "1_0"), ("0_3", "1_3")),
    B: (("0_1", "1_1"), ("0_4", "1_4")),
    LAST: (("0_2", "1_2"), ("0_5", "1_5")),
}
SWAPPED = REPLACED | {A: (("0_0", "1_1"), ("0_3", "1_3")), B: (("0_1", "1_0"), ("0_4", "1_4"))}
STRANGER = "11111111-57d0-457d-951f-d06556c148ca"
PARTITIONS = [{"id": number, "begin_offset": 0, "end_offset": 9, "committed_offset": 9} for number in range(6)]
THREE = consumer_group(
    {name: member(*owned, host=f"app-{name}") for name, owned in {"a": (0, 1), "b": (2, 3), "c": (4, 5)}.items()},
    topics={"orders": {"partitions": PARTITIONS}},
    cluster="prod",
    captured_at=NOON.isoformat(),
)
Events = tuple[Document, ...]
REPLACE: Document = {"replace_consumer": {"member_id": "a", "by": {"member_id": "new", "host": "app-new"}}}


def streams(fresh: Document) -> Verdict:
    return verify(article_plan(BASELINE), read(fresh))


def consumer(
    change_it: Callable[[ConsumerSnapshot, Events], ConsumerSnapshot], planned: Events = (REPLACE,), done: Events = (REPLACE,)
) -> ConsumerVerdict:
    """`change_it`: what the group is after `done` went as forecast, or before anything was done."""
    plan = planning.make_from(("snapshot", copy.deepcopy(THREE)), ("change", change(*planned)), Policy(), NOON)
    return consumer_verify.verify(plan, change_it(consumer_snapshot_from_json(copy.deepcopy(THREE)), done))


def went(before: ConsumerSnapshot, events: Events) -> ConsumerSnapshot:
    outcome = forecast(before, consumer_change_from_json(change(*events))).outcome
    assert before.generation is not None
    later = (NOON + timedelta(minutes=5)).isoformat()
    generation = before.generation + len(outcome.rounds)
    return replace(before, members=outcome.members, generation=generation, group_state="Stable", captured_at=later)


def restarts(first: str | None, second: str | None) -> Events:
    """A consumer restarts twice, and gets these member IDs."""
    return (
        {"restart_consumer": {"member_id": "a", "new_member_id": first}},
        {"then": "stable"},
        {"restart_consumer": {"member_id": first or "a", "new_member_id": second}},
    )


def swapped(before: ConsumerSnapshot, events: Events) -> ConsumerSnapshot:
    after = went(before, events)
    one, two, *others = after.members
    members = (replace(one, owned=two.owned), replace(two, owned=one.owned), *others)
    return replace(after, members=members)


def not_compared() -> ConsumerVerdict:
    """A consumer restarts twice: no snapshot shows the member ID in between, and each of its ranks is another course."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(courses, "LEAST_COURSES", 1)
        patched.setattr(courses, "MOST_COURSES", 1)
        return consumer(swapped, restarts(None, None), restarts("q", "a-2"))


def by_broker(change_it: Callable[[StreamsGroupSnapshot], StreamsGroupSnapshot], *events: Document) -> BrokerVerdict:
    """`change_it`: what the group is after the events went as forecast."""
    plan = plan_for(*events, only="baseline")
    found: BrokerVerdict = KIND.verify(plan, change_it(after(plan)))
    return found


def by_broker_half() -> BrokerVerdict:
    plan = plan_for(*ROLL, only="baseline")
    found: BrokerVerdict = KIND.verify(plan, after(plan, 3))
    return found


def by_broker_not_compared() -> BrokerVerdict:
    """No record shows which thread of a client joined first, and not every order was compared."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(starts, "MOST_ORDERS", 1)
        patched.setattr(starts, "LEAST_ORDERS", 1)
        plan = plan_for(*JOINS_IN_ANY_ORDER, only="baseline")
        taken, *others = (fresh := after(plan, recorded=False)).members
        found: BrokerVerdict = KIND.verify(
            plan, replace(fresh, members=(replace(taken, assignment=others[-1].assignment), *others))
        )
        return found


VERDICTS: Mapping[str, tuple[Result, Callable[[], Verdict | ConsumerVerdict | BrokerVerdict]]] = {
    "streams-as-forecast": (Result.AS_FORECAST, lambda: streams(group(REPLACED))),
    "streams-not-yet": (Result.NOT_YET, lambda: streams(group(AFTER))),
    "streams-one-step-done": (Result.NOT_YET, lambda: streams(without_client(group(AFTER), C))),
    "streams-in-progress": (
        Result.IN_PROGRESS,
        lambda: streams(altered(group(REPLACED), ["group_state"], "PreparingRebalance")),
    ),
    "streams-diverged": (Result.DIFFERENT, lambda: streams(group(SWAPPED))),
    "streams-stranger": (
        Result.DIFFERENT,
        lambda: streams(with_client(without_client(group(AFTER), C), STRANGER, client(C, AFTER[C]))),
    ),
    "consumer-as-forecast": (Result.AS_FORECAST, lambda: consumer(went)),
    "consumer-not-yet": (Result.NOT_YET, lambda: consumer(lambda before, _: before)),
    "consumer-in-progress": (
        Result.IN_PROGRESS,
        lambda: consumer(lambda before, events: replace(went(before, events), group_state="CompletingRebalance")),
    ),
    "consumer-diverged": (Result.DIFFERENT, lambda: consumer(swapped)),
    "consumer-not-compared": (Result.NOT_COMPARED, not_compared),
    "broker-streams-as-forecast": (Result.AS_FORECAST, lambda: by_broker(lambda after: after, *ROLL)),
    "broker-streams-not-yet": (Result.NOT_YET, by_broker_half),
    "broker-streams-in-progress": (
        Result.IN_PROGRESS,
        lambda: by_broker(lambda after: replace(after, group_state="Reconciling"), REMOVE),
    ),
    "broker-streams-diverged": (Result.DIFFERENT, lambda: by_broker(other_owners, STANDBYS)),
    "broker-streams-not-compared": (Result.NOT_COMPARED, by_broker_not_compared),
}


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("name", VERDICTS)
def test_a_verdict_reads_as_before(name: str, medium: str) -> None:
    result, made = VERDICTS[name]
    found = made()

    assert found.result is result
    hold(f"verdicts/{name}", medium, verdict_blocks(replace(found, plan_id="0123456789abcdef")))


@pytest.mark.parametrize("kind", ["streams", "consumer", "broker-streams"])
def test_every_result_is_held(kind: str) -> None:
    found = {result for name, (result, _) in VERDICTS.items() if name.startswith(kind)}
    assert found == set(Result) - ({Result.NOT_COMPARED} if kind == "streams" else set())
