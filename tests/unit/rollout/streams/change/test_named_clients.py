"""A client may be named as people name it; the Change that is made of it has process IDs."""

from typing import Any

import pytest
from tests.harness.article import AFTER, A, B, C, Document, change, group
from tests.harness.plans import read

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.kinds.requested_change import change_requested
from holdfast.rollout.streams.change import named_json
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.change.request import change_of

NEW = "c1e2d3f4-0a1b-4c2d-8e3f-405162738495"


def resolved(*events: object, snapshot: Document | None = None) -> list[Any]:
    found = named_json.resolved(change(*events), read(snapshot or group(AFTER)))
    return change_to_json(change_from_json(found))["events"]  # type: ignore[return-value]


def removed(name: object, snapshot: Document | None = None) -> str:
    (event,) = resolved({"remove_client": {"client": name}}, snapshot=snapshot)
    return str(event["remove_client"]["process_id"])


def shared(document: Document) -> Document:
    for client in document["clients"].values():
        client["host"] = "app-0"
    return document


def member(document: Document, process_id: str) -> Any:
    return next(iter(document["clients"][process_id]["consumers"].values()))


class TestNames:
    @pytest.mark.parametrize("name", [f"app-{A[:4]}", A, A.upper(), A[:4], A[:8], f"{A[:8]}…", f"{A[:8]}..."])
    def test_host_and_process_id(self, name: str) -> None:
        assert removed(name) == A

    def test_client_id_with_and_without_its_thread(self) -> None:
        document = group(AFTER)
        member(document, B)["client_id"] = "orders-7-StreamThread-12-consumer"

        assert removed("orders-7", document) == removed("orders-7-StreamThread-12-consumer", document) == B

    def test_instance_id_with_and_without_its_thread(self) -> None:
        document = group(AFTER)
        member(document, B)["group_instance_id"] = "pod-7-1"

        assert removed("pod-7", document) == removed("pod-7-1", document) == B

    @pytest.mark.parametrize("name", ["app-9", A[:3], "", "f" * 8, 7, None, ["app-0"]])
    def test_nobody(self, name: object) -> None:
        with pytest.raises(InvalidInput, match=r"events\[0\]\.remove_client\.client"):
            removed(name)

    def test_a_shared_host_is_told_apart_by_as_many_digits_as_differ(self) -> None:
        with pytest.raises(InvalidInput, match="matches 3 clients: ") as refusal:
            removed("app-0", shared(group(AFTER)))
        assert all(f"app-0 ({one[:8]}…)" in str(refusal.value) for one in (A, B, C))

        twins = {one: f"{A[:-1]}{digit}" for one, digit in ((B, "b"), (C, "c"))}
        document = group(AFTER) | {"leader_process_id": None}
        document["clients"] = {twins.get(one, one): client for one, client in document["clients"].items()}
        with pytest.raises(InvalidInput, match="matches 3 clients: ") as close:
            removed(A[:8], document)
        assert all(f"({one})" in str(close.value) for one in twins.values())

    def test_hostile_hosts_are_shown_and_not_sent(self) -> None:
        document = group(AFTER)
        for client in document["clients"].values():
            client["host"] = "\x1b[31m\u202e"
        with pytest.raises(InvalidInput) as refusal:
            removed("app-9", document)
        assert "\x1b" not in str(refusal.value)


class TestEvents:
    def test_every_event_with_a_client_takes_a_name(self) -> None:
        host = {one: f"app-{one[:4]}" for one in (A, B, C)}
        found = resolved(
            {"restart_client": {"client": host[A]}},
            {"set_threads": {"client": host[B], "threads": 3}},
            {"rolling_restart": {"clients": [host[A], B[:6]]}},
            {"replace_client": {"client": host[C], "by": {"process_id": NEW}, "state": {"copied_from_client": host[B]}}},
        )
        assert [next(iter(one.values())).get("process_id") for one in found] == [A, B, None, C]
        assert found[2]["rolling_restart"]["process_ids"] == [A, B]
        assert found[3]["replace_client"]["state"] == {"copied_from": B}

    def test_a_name_is_looked_up_among_those_who_are_there_by_then(self) -> None:
        """The host of the replaced client is the new one's."""
        host = f"app-{C[:4]}"
        then = {"then": "stable"}
        found = resolved(
            {"replace_client": {"client": host, "by": {"process_id": NEW}}},
            then,
            {"restart_client": {"client": host, "keeps_process_id": False, "new_process_id": C}},
            then,
            {"remove_client": {"client": host}},
        )
        assert [next(iter(one.values()))["process_id"] for one in found[::2]] == [C, NEW, C]

    def test_one_whose_process_id_is_left_to_chance_cannot_be_named(self) -> None:
        with pytest.raises(InvalidInput, match="is random: give it one"):
            resolved({"add_client": {"process_id": None, "threads": 1, "host": "new"}}, {"remove_client": {"client": "new"}})

    def test_a_name_and_an_id_are_one_too_many(self) -> None:
        with pytest.raises(InvalidInput, match="both name the client"):
            resolved({"remove_client": {"client": "app-0", "process_id": A}})

    def test_every_problem_is_told(self) -> None:
        with pytest.raises(InvalidInput) as refusal:
            resolved({"remove_client": {"client": "x"}}, {"restart_client": {"client": "y"}})
        assert "events[0].remove_client.client" in str(refusal.value)
        assert "events[1].restart_client.client" in str(refusal.value)

    @pytest.mark.parametrize("document", [None, [], {"events": 7}, change(7, [], {"remove_client": 7}, {"x": {"client": "y"}})])
    def test_what_is_no_change_is_left_to_its_reader(self, document: object) -> None:
        assert named_json.resolved(document, read(group(AFTER))) == document

    def test_there_are_not_too_many_names(self) -> None:
        with pytest.raises(InvalidInput, match="1,001 events name a client"):
            resolved(*[{"restart_client": {"client": "x"}}] * 1_001)


class TestForms:
    def test_a_change_with_names_is_checked_before_and_after_the_group_is_known(self) -> None:
        fitting = change_requested({"change": change({"remove_client": {"client": f"app-{A[:4]}"}})})
        assert change_to_json(fitting(read(group(AFTER))))["events"] == [{"remove_client": {"process_id": A}}]  # type: ignore[arg-type]

        with pytest.raises(InvalidInput, match=r"change.events\[0\].remove_client.client"):
            change_requested({"change": change({"remove_client": {"client": "app-9"}})})(read(group(AFTER)))
        with pytest.raises(InvalidInput, match="unknown"):
            change_requested({"change": change({"remove_client": {"client": "app-9", "hots": 1}})})

    def test_fields_name_clients_too_and_a_host_is_all_on_it(self) -> None:
        def gone(*hosts: str, snapshot: Document) -> list[str]:
            found = change_of(Request(What.RESTART, hosts), read(snapshot))
            return change_to_json(found)["events"][0]["rolling_restart"]["process_ids"]  # type: ignore[index,no-any-return]

        assert gone(A[:6], snapshot=group(AFTER)) == [A]
        assert len(gone("app-0", snapshot=shared(group(AFTER)))) == 3
        with pytest.raises(InvalidInput, match="no client of the group is called"):
            gone("app-9", snapshot=group(AFTER))
