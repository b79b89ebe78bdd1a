"""Does a plan read as before, for every kind of group and every verdict, as text, as Markdown and as a part of a page?"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest
from tests.harness.article import AFTER, C, altered, group
from tests.harness.golden import MEDIA, hold
from tests.harness.plain_groups import Document, change, member
from tests.harness.plain_groups import group as consumer_group
from tests.harness.plans import NOON, REPLACE_FIRST, measured, planned, raised_plan
from tests.unit.rollout.broker_consumer import groups as consumer_groups
from tests.unit.rollout.broker_consumer import plans as consumer_plans
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams import streams_groups
from tests.unit.rollout.broker_streams.plans import ROLL

from holdfast.rollout.broker_consumer.plan import review as broker_consumer_review
from holdfast.rollout.broker_streams.plan import review as broker_review
from holdfast.rollout.consumer.plan import review as consumer_review
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan import review as streams_review
from holdfast.rollout.text.document_blocks import Block
from holdfast.workflows import plan as planning

COMMITTED = [{"id": number, "begin_offset": 0, "end_offset": 9_000, "committed_offset": 8_990} for number in range(6)]
TWO = {name: member(*owned, host=f"app-{name}") for name, owned in {"a": (0, 1, 2), "b": (3, 4, 5)}.items()}
STATIC = {name: one | {"group_instance_id": f"i-{name}"} for name, one in TWO.items()}
THREE = {name: member(*owned, host=f"app-{name}") for name, owned in {"a": (0, 1), "b": (2, 3), "c": (4, 5)}.items()}
OVER = Policy(blocking=("collateral-migration",), exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id"))
STILL = Policy(without_caught_up_copy_s_most=1, blocking=("partition-downtime",))
BEFORE = "2026-11-20T11:59:00Z"
"""When the snapshots were taken: a minute before the plans are made."""
ANY_ID = "0123456789abcdef"
"""In the place of the digest, which changes with every field of the document."""
Read = tuple[Assessment, tuple[Block, ...]]


def streams(document: Document, *events: object, policy: Policy | None = None) -> Read:
    plan = planned(altered(document, ["captured_at"], BEFORE), *events, policy=policy)
    return plan.assessment, streams_review.review(replace(plan, plan_id=ANY_ID))


def raised() -> Read:
    plan = raised_plan(BEFORE, bytes_per_record=2000)
    return plan.assessment, streams_review.review(replace(plan, plan_id=ANY_ID))


def consumer(consumers: dict[str, Document], *events: object, policy: Policy | None = None, partitions: object = COMMITTED) -> Read:
    snapshot = consumer_group(
        copy.deepcopy(consumers), topics={"orders": {"partitions": partitions}}, cluster="prod", captured_at=BEFORE
    )
    plan = planning.make_from(("snapshot", snapshot), ("change", change(*events)), policy or Policy(), NOON)
    return plan.assessment, consumer_review.review(replace(plan, plan_id=ANY_ID))


def broker(*events: Document, policy: Policy | None = None, **differs: str) -> Read:
    document = streams_groups.snapshot(cluster="prod", captured_at="2026-11-23T11:59:00Z", **differs)
    plan = broker_plans.planned(*events, of=document, policy=policy)
    return plan.assessment, broker_review.review(replace(plan, plan_id=ANY_ID))


def broker_consumer(*events: Document, **instances: str) -> Read:
    plan = consumer_plans.planned(*events, of=consumer_groups.group("uniform", **instances))
    return plan.assessment, broker_consumer_review.review(replace(plan, plan_id=ANY_ID))


def restart(name: str) -> object:
    return {"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}}


REPLACE = {"replace_consumer": {"member_id": "a", "by": {"member_id": "new", "host": "app-new"}}}
LOST = [COMMITTED[0] | {"committed_offset": None}, *COMMITTED[1:]]
PLANS: Mapping[str, tuple[Assessment, Callable[[], Read]]] = {
    "streams-within-policy": (Assessment.SAFE, lambda: streams(measured(group(AFTER)), REPLACE_FIRST)),
    "streams-random-id": (
        Assessment.SAFE,
        lambda: streams(group(AFTER), {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}}}),
    ),
    "streams-needs-review": (Assessment.REVIEW, raised),
    "streams-cannot-predict": (
        Assessment.BLOCKED,
        lambda: streams(altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), REPLACE_FIRST),
    ),
    "streams-over-a-limit": (
        Assessment.BLOCKED,
        lambda: streams(group(AFTER), REPLACE_FIRST, policy=OVER),
    ),
    "streams-nothing-to-do": (Assessment.NOTHING_TO_DO, lambda: streams(group(AFTER))),
    "consumer-within-policy": (Assessment.SAFE, lambda: consumer(STATIC, restart("a"), restart("b"))),
    "consumer-replaced": (Assessment.SAFE, lambda: consumer(THREE, REPLACE)),
    "consumer-needs-review": (Assessment.REVIEW, lambda: consumer(TWO, restart("a"), partitions=LOST)),
    "consumer-over-a-limit": (
        Assessment.BLOCKED,
        lambda: consumer(
            THREE,
            {"remove_consumer": {"member_id": "c"}},
            policy=STILL,
        ),
    ),
    "broker-streams-within-policy": (Assessment.SAFE, lambda: broker(*ROLL)),
    "broker-streams-random-ids": (
        Assessment.REVIEW,
        lambda: broker({"replace_client": {"process_id": "a", "by": {"host": "host-n"}}}, policy=Policy()),
    ),
    "broker-streams-old-release": (Assessment.REVIEW, lambda: broker(*ROLL, broker_release="4.2.1")),
    "broker-streams-topology-rejected": (
        Assessment.BLOCKED,
        lambda: broker({"add_partitions": {"topic": "users", "partitions": 8}}),
    ),
    "broker-streams-nothing-to-do": (Assessment.NOTHING_TO_DO, broker),
    "broker-consumer-roll": (Assessment.SAFE, lambda: broker_consumer({"rolling_restart": {}})),
    "broker-consumer-static": (
        Assessment.SAFE,
        lambda: broker_consumer(consumer_plans.restart(consumer_groups.A), a="host-a"),
    ),
    "consumer-nothing-to-do": (Assessment.NOTHING_TO_DO, lambda: consumer(TWO)),
}


@cache
def made(name: str) -> Read:
    return PLANS[name][1]()


@pytest.mark.thorough
@pytest.mark.parametrize("name", PLANS)
def test_each_verdict_is_there(name: str) -> None:
    assert made(name)[0] is PLANS[name][0]


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("name", PLANS)
def test_a_plan_reads_as_before(name: str, medium: str) -> None:
    hold(f"plans/{name}", medium, made(name)[1])


@pytest.mark.parametrize("kind", ["streams", "consumer", "broker-streams"])
def test_every_verdict_of_a_plan_is_held(kind: str) -> None:
    assert {verdict for name, (verdict, _) in PLANS.items() if name.startswith(kind)} == set(Assessment)
