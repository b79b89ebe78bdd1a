"""A change in words."""

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, change, group
from tests.harness.plans import REPLACE_FIRST, article_plan, planned

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.kinds.plan_title import question_of, request_of, title_of
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.change.request_words import request_text, title


def name(process_id: ProcessId) -> str:
    return {A: "app-0", B: "app-1"}[str(process_id)]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "nothing"),
        ([{"add_client": {"process_id": None, "threads": 1, "host": "app-9"}}], "add a client on app-9 (1 thread)"),
        ([{"add_client": {"process_id": LAST, "threads": 1}}] * 3, f"add a client (process ID {LAST}, 1 thread) (3 times)"),
        ([{"remove_client": {"process_id": A}}], "remove app-0, which the group notices after the session timeout"),
        ([{"replace_client": {"process_id": A, "by": {"process_id": None}}}], "replace app-0 by a new client with an empty disk"),
        (
            [{"replace_client": {"process_id": A, "by": {"process_id": None, "host": "x"}, "state": {"copied_from": B}}}],
            "replace app-0 by a new client on x with a copy of the disk of app-1",
        ),
        ([{"restart_client": {"process_id": A}}], "restart app-0"),
        (
            [{"restart_client": {"process_id": A, "keeps_process_id": False, "keeps_state": False}}],
            "restart app-0, its process ID lost, its state lost",
        ),
        ([{"rolling_restart": {"at_once": 2}}], "restart every client, 2 at a time"),
        ([{"rolling_restart": {"process_ids": [A, B]}}], "restart app-0, app-1, 1 at a time"),
        (
            [{"rolling_restart": {"set_config": {"max.warmup.replicas": 6}, "kafka_release": "3.9.1"}}],
            "restart every client, 1 at a time, with max.warmup.replicas = 6, on Kafka Streams 3.9.1",
        ),
        ([{"set_config": {"a": 1, "b": None}}], "set a = 1, b = default"),
        (
            [{"set_release": {"kafka_release": "3.9.1"}}, {"then": "stable"}, {"remove_client": {"process_id": B}}],
            "go to Kafka Streams 3.9.1; wait until it is stable; remove app-1, which the group notices after the session timeout",
        ),
        (
            [{"set_config": {str(number): number}} for number in range(6)],
            "set 0 = 0; set 1 = 1; set 2 = 2; set 3 = 3; set 4 = 4; set 5 = 5",
        ),
    ],
)
def test_a_change_is_a_sentence(events: list[object], words: str) -> None:
    assert request_text(change_from_json(change(*events)), name) == words


REMOVED_AND_RESTARTED = "remove app-0, restart app-1"
NEW = "4b61e2a0-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("event", "given"),
    [
        (
            {"add_client": {"process_id": NEW, "threads": 3, "rack": "eu-1", "client_tags": {"zone": "b"}}},
            ("3 threads", "eu-1", "b"),
        ),
        ({"replace_client": {"process_id": A, "by": {"process_id": NEW, "host": "x"}, "state": "kept"}}, (NEW, "on x", "old disk")),
        ({"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": NEW}}, (NEW,)),
        ({"add_partitions": {"topic": "t", "partitions": 9, "changelogs_grown": True}}, ("9 partitions", "changelogs grown")),
        ({"rolling_restart": {"wait": "rebalance", "keeps_state": False}}, ("one rebalance", "state lost")),
        ({"set_config": {"rack.aware.assignment.tags": []}}, ("rack.aware.assignment.tags = empty",)),
    ],
)
def test_nothing_that_was_given_is_dropped(event: object, given: tuple[str, ...]) -> None:
    said = request_text(change_from_json(change(event)), name)

    assert [one for one in given if one not in said] == []


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "no change"),
        ([{"replace_client": {"process_id": A, "by": {"process_id": None, "host": "app-9"}}}], "replace app-0 by app-9"),
        ([{"replace_client": {"process_id": A, "by": {"process_id": NEW, "host": "app-0"}}}], "replace app-0 by a new client"),
        ([{"add_client": {"process_id": None, "threads": 1, "host": f"a{n}"}} for n in range(5)], "add a0, a1, a2 and 2 more"),
        (
            [{"remove_client": {"process_id": A}}, {"then": "stable"}, {"restart_client": {"process_id": B}}],
            "remove app-0, restart app-1",
        ),
        ([{"rolling_restart": {"kafka_release": "3.9.1"}}], "upgrade every client to Kafka Streams 3.9.1"),
        ([{"set_config": {"k" * 300: "v"}}], "set " + "k" * 60 + "…"),
    ],
)
def test_a_title_is_short(events: list[object], words: str) -> None:
    assert title(change_from_json(change(*events)), name) == words


def test_a_plan_is_called_what_was_asked_for() -> None:
    plan = article_plan()

    assert title_of(plan) == "Replace app-bbb8 by app-new in streams-wordcount"
    assert question_of(plan) == f"{title_of(plan)}: within policy. Approve plan {plan.plan_id}?"
    assert LAST in request_of(plan), "an ID that was given is said in full"


def test_clients_that_share_a_host_are_told_apart() -> None:
    document = group(AFTER)
    for client in document["clients"].values():
        client["host"] = "one-box"

    assert title_of(planned(document, REPLACE_FIRST)) == f"Replace one-box ({C[:8]}…) by app-new in streams-wordcount"
