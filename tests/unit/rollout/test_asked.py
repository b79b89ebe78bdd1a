"""A change in words."""

import pytest
from tests.harness.article import LAST, A, B, change

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import codec
from holdfast.rollout.asked import asked


def name(process_id: ProcessId) -> str:
    return {A: "app-0", B: "app-1"}[str(process_id)]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "nothing"),
        ([{"add_client": {"process_id": None, "threads": 1, "host": "app-9"}}], "add a client on app-9"),
        ([{"add_client": {"process_id": LAST, "threads": 1}}] * 3, "add a client (3 times)"),
        ([{"remove_client": {"process_id": A}}], "remove app-0, which leaves the group as it closes"),
        ([{"replace_client": {"process_id": A, "by": {"process_id": None}}}], "replace app-0 by a new client with an empty disk"),
        (
            [{"replace_client": {"process_id": A, "by": {"process_id": None, "host": "x"}, "state": {"copied_from": B}}}],
            "replace app-0 by a new client on x with a copied disk",
        ),
        ([{"restart_client": {"process_id": A}}], "restart app-0"),
        (
            [{"restart_client": {"process_id": A, "keeps_process_id": False, "keeps_state": False}}],
            "restart app-0, its process ID lost, its state lost",
        ),
        ([{"rolling_restart": {"at_once": 2}}], "restart every client, 2 at a time"),
        ([{"rolling_restart": {"process_ids": [A, B]}}], "restart 2 clients, 1 at a time"),
        (
            [{"rolling_restart": {"set_config": {"max.warmup.replicas": 6}, "kafka_release": "3.9.1"}}],
            "restart every client, 1 at a time, with max.warmup.replicas = 6, on Kafka Streams 3.9.1",
        ),
        ([{"set_config": {"a": 1, "b": None}}], "set a = 1, b = default"),
        (
            [{"set_release": {"kafka_release": "3.9.1"}}, {"then": "stable"}, {"remove_client": {"process_id": B}}],
            "go to Kafka Streams 3.9.1; wait until it is stable; remove app-1, which leaves the group as it closes",
        ),
        (
            [{"set_config": {str(number): number}} for number in range(6)],
            "set 0 = 0; set 1 = 1; set 2 = 2; set 3 = 3; and 2 things more",
        ),
    ],
)
def test_a_change_is_a_sentence(events: list[object], words: str) -> None:
    assert asked(codec.change_from_json(change(*events)), name) == words
