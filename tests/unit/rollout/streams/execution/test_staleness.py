"""Every kind of drift against a real plan: what is found, and whether the plan still holds."""

import copy
from collections.abc import Callable

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, altered, client, group
from tests.harness.plans import NOON, article_plan, read, with_client, without_client

from holdfast.rollout.execution.drift import STALENESS, DriftKind
from holdfast.rollout.streams.execution.staleness import is_stale

PLAN = article_plan()


def member(document: Document, process_id: str, index: int = 0) -> str:
    return list(document["clients"][process_id]["consumers"])[index]


def now() -> Document:
    """The group, as young as the plan."""
    return altered(group(AFTER), ["captured_at"], NOON.isoformat())


def rejoined(document: Document) -> Document:
    found = copy.deepcopy(document)
    consumers = found["clients"][A]["consumers"]
    consumers[member(found, A) + "-again"] = consumers.pop(member(found, A))
    return found


def one_thread_less(document: Document) -> Document:
    found = copy.deepcopy(document)
    del found["clients"][A]["consumers"][member(found, A)]
    return found


def moved_owner(document: Document) -> Document:
    found = copy.deepcopy(document)
    mine, theirs = (found["clients"][one]["consumers"][member(found, one)] for one in (A, B))
    for field in ("owned", "task_offset_sums"):
        mine[field], theirs[field] = theirs[field], mine[field]
    return found


def another_id(document: Document) -> Document:
    return with_client(without_client(document, B), LAST, document["clients"][B])


def with_offsets(document: Document) -> Document:
    found = copy.deepcopy(document)
    for task in found["tasks"].values():
        for log in task["changelogs"]:
            log[2] += 1_000
    return found


def one_partition_more(document: Document) -> Document:
    found = copy.deepcopy(document)
    found["tasks"]["1_6"] = {"partitions": [["repartition", 6]], "changelogs": [["changelog", 6, 0]]}
    return found


def not_given(document: Document) -> Document:
    found = altered(document, ["kafka_release"], None)
    return altered(found, ["unknown"], [{"what": "config.max.warmup.replicas", "reason": "not given"}])


MATTERS: list[tuple[str, Callable[[Document], Document], DriftKind, str]] = [
    ("a new member", lambda it: with_client(it, LAST, client(LAST, [[]])), DriftKind.CLIENT, "is new in the group"),
    ("one that left", lambda it: without_client(it, B), DriftKind.CLIENT, "has left the group"),
    ("another process ID", another_id, DriftKind.CLIENT, "has left the group"),
    ("a thread less", one_thread_less, DriftKind.THREADS, "had 2 stream threads, it now has 1"),
    ("release", lambda it: altered(it, ["kafka_release"], "3.9.1"), DriftKind.FACT, "was 2.7.2, it is now 3.9.1"),
    ("setting", lambda it: altered(it, ["config", "max.warmup.replicas"], 5), DriftKind.SETTING, "was 2, it is now 5"),
    ("partitions", one_partition_more, DriftKind.TASKS, "Tasks 1_6 are new"),
    ("stateless", lambda it: altered(it, ["tasks", "1_0", "changelogs"], []), DriftKind.TASKS, "stateful instead of stateless"),
    ("owner", moved_owner, DriftKind.OWNER, "no longer runs"),
    ("rebalancing", lambda it: altered(it, ["group_state"], "PreparingRebalance"), DriftKind.IN_PROGRESS, "PreparingRebalance"),
    ("late", lambda it: altered(it, ["captured_at"], "2026-11-20T13:00:01Z"), DriftKind.TIME, "was valid until"),
    ("the host of a step", lambda it: altered(it, ["clients", C, "host"], "elsewhere"), DriftKind.HOST, "it is now on elsewhere"),
    ("another group", lambda it: altered(it, ["group_id"], "other"), DriftKind.GROUP, "'other'"),
]
MATTERS_NOT: list[tuple[str, Callable[[Document], Document], DriftKind | None, str]] = [
    ("nothing", lambda it: it, None, ""),
    ("new offsets", with_offsets, None, ""),
    ("another leader", lambda it: altered(it, ["leader_process_id"], A), None, ""),
    ("a thread that rejoined", rejoined, DriftKind.MEMBERS, "other member IDs"),
    ("a host no step goes to", lambda it: altered(it, ["clients", A, "host"], "elsewhere"), DriftKind.HOST, "elsewhere"),
    ("a rack nobody asks for", lambda it: altered(it, ["clients", A, "rack"], "r1"), DriftKind.PLACE, "another rack"),
    ("a setting that decides nothing", lambda it: altered(it, ["config", "commit.interval.ms"], 5), DriftKind.SETTING, "is now 5"),
    ("what is not given", not_given, DriftKind.NOT_GIVEN, "is not given this time"),
]


@pytest.mark.parametrize(("what", "drifted", "kind", "said"), MATTERS, ids=[case[0] for case in MATTERS])
def test_it_is_stale(what: str, drifted: Callable[[Document], Document], kind: DriftKind, said: str) -> None:
    found = is_stale(PLAN, read(drifted(now())))

    assert found.stale, what
    assert found.drifts[0].matters
    assert [one for one in found.drifts if one.kind is kind and said in one.found and one.matters and one.why]


@pytest.mark.parametrize(("what", "drifted", "kind", "said"), MATTERS_NOT, ids=[case[0] for case in MATTERS_NOT])
def test_it_still_holds(what: str, drifted: Callable[[Document], Document], kind: DriftKind | None, said: str) -> None:
    found = is_stale(PLAN, read(drifted(now())))

    assert not found.stale, what
    assert [one.kind for one in found.drifts][:1] == ([] if kind is None else [kind])
    assert all(said in one.found and one.why for one in found.drifts)


def test_a_rack_matters_where_tasks_are_dealt_out_by_rack() -> None:
    tagged = altered(altered(now(), ["clients", A, "rack"], "r1"), ["config", "rack.aware.assignment.strategy"], "min_traffic")
    found = is_stale(PLAN, read(tagged))

    assert [one.matters for one in found.drifts if one.kind is DriftKind.PLACE] == [True]


def test_everything_that_drifted_is_told() -> None:
    changed = altered(another_id(now()), ["kafka_release"], "3.9.1")
    told = STALENESS.write(is_stale(PLAN, read(changed)))

    assert told["stale"]
    kinds = [one["kind"] for one in told["drifts"]]  # type: ignore[attr-defined]
    assert kinds.count("client") == 2
    assert "fact" in kinds


def test_a_group_before_its_third_client_is_another_one() -> None:
    assert is_stale(PLAN, read(group(BEFORE))).stale
