"""Nothing of a snapshot's names is left, in any field of any kind of group, and not in the bytes of members either."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harness.sharing.named_everywhere import MARK, PROCESSES, NamedEverywhere, all_bytes
from tests.harness.sharing.translated import forecast_of, redacted_documents, translated

from holdfast.errors import InvalidInput
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.schemas import schema_of
from holdfast.rollout.kinds.sharing.redacted import Same, decides_the_same, mapping_to_json, redacted
from holdfast.rollout.redaction.found import Role
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

EXAMPLE = Path(__file__).parents[5] / "examples" / "streams-wordcount"
CONTRACTS = ("snapshot", "consumer-snapshot", "streams-group-snapshot", "consumer-group-snapshot")


def example(name: str = "snapshot") -> Any:
    return json.loads((EXAMPLE / f"{name}.json").read_text())


def named_everywhere(contract: str) -> Any:
    """Every field is there, and every text that is free is a name of its own."""
    document = NamedEverywhere().of(schema_of(contract))
    for topic in document["topics"].values():
        for number, partition in enumerate(topic["partitions"]):
            partition["id"] = number
    if "leader_member_id" in document:
        document["leader_member_id"] = next(iter(document["consumers"]))
    if "members" in (classic := document.get("classic") or {}):
        (member,) = classic["members"].values()
        classic |= {"members": dict.fromkeys(document["members"], member), "leader_member_id": next(iter(document["members"]))}
    for release in ("kafka_release", "broker_release"):
        document |= {release: "3.9.1"} if release in document else {}
    return document


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("keeps_hash_codes", [True, False])
def test_no_name_is_left_in_any_field(contract: str, keeps_hash_codes: bool) -> None:
    document = named_everywhere(contract)
    assert all_bytes(document).count(MARK.encode()) > 15
    one = redacted_documents(document, None, keeps_hash_codes=keeps_hash_codes)

    left = all_bytes(one.snapshot)
    assert MARK.encode() not in left
    assert not any(process.encode() in left or bytes.fromhex(process.replace("-", "")) in left for process in PROCESSES)


def test_the_bytes_of_members_are_renamed_and_not_left_out() -> None:
    document = named_everywhere("snapshot")
    document["generations"][0]["protocol"] = "stream"
    one = redacted_documents(document, None)
    (generation,) = any_document.snapshot_from_json(one.snapshot).generations

    (member,) = generation.members
    assert b"topic-" in member.subscription
    assert b"topic-" in member.assignment
    assert b"8080" not in member.subscription, "endpoints are left out"
    assert generation.protocol == "stream"


def test_the_example_of_the_repository_is_forecast_the_same() -> None:
    snapshot, change = example(), example("change")
    one = redacted_documents(snapshot, change)
    left = all_bytes(one.snapshot) + all_bytes(one.change)

    for name in (
        "wordcount",
        "plaintext",
        "counts",
        "app-",
        "127.0.0.1",
        "KSTREAM",
        "4b61083e",
        "bbb83e43",
        "7156cef1",
        "7d9f2c5e",
    ):
        assert name.encode() not in left
        assert name.encode() in all_bytes([snapshot, change]) or name == "KSTREAM"
    assert translated(forecast_of(one.snapshot, one.change), one) == forecast_of(snapshot, change)
    assert not one.hash_codes


def test_redacted_twice_is_redacted_once() -> None:
    one = redacted_documents(example(), example("change"))

    again = redacted_documents(one.snapshot, one.change)
    assert again.snapshot == one.snapshot
    assert again.change == one.change


def test_a_rebalance_whose_bytes_cannot_be_read_is_left_out() -> None:
    snapshot = any_document.snapshot_from_json(example())
    assert isinstance(snapshot, Snapshot)
    bad = replace(snapshot.generations[0].members[0], subscription=b"\0\3secret")
    damaged = replace(snapshot.generations[0], members=(bad, *snapshot.generations[0].members[1:]))
    one = redacted(replace(snapshot, generations=(damaged, *snapshot.generations[1:])))

    assert one.generations == 1
    assert len(any_document.snapshot_from_json(one.snapshot).generations) == len(snapshot.generations) - 1
    assert b"secret" not in all_bytes(one.snapshot)


def test_the_hash_code_of_the_application_id_is_kept_for_the_sticky_assignors_alone() -> None:
    sticky = example()
    sticky["config"]["internal.task.assignor.class"] = "org.apache.kafka.streams.processor.internals.assignment.StickyTaskAssignor"

    assert redacted_documents(sticky, None).hash_codes == {Role.GROUP: 1}
    assert redacted_documents(example(), None).hash_codes == {}
    change = {"format_version": "1.0", "events": [{"set_config": sticky["config"]}]}
    assert redacted_documents(example(), change).hash_codes == {Role.GROUP: 1}


def test_an_assignor_in_the_change_makes_hash_codes_of_topics_decide() -> None:
    group = named_everywhere("consumer-snapshot")
    (member,) = group["consumers"]
    change = {"format_version": "1.0", "events": [{"set_assignors": {"assignors": ["sticky"], "member_ids": {member: "another"}}}]}

    assert Role.TOPIC in redacted_documents(group, change).hash_codes
    assert Role.TOPIC not in redacted_documents(group, None).hash_codes


def test_a_task_assignor_of_ones_own_stays_one_that_is_not_modelled() -> None:
    own = example()
    own["config"] = {"task.assignor.class": "com.example.Ours", "client.id": "pay", "num.standby.replicas": 0}
    own["kafka_release"] = "3.9.1"
    one = redacted_documents(own, None)

    assert any_document.snapshot_from_json(one.snapshot).config == (
        ("num.standby.replicas", 0),
        ("task.assignor.class", "redacted"),
    )
    assert one.settings == ("client.id", "task.assignor.class")
    assert decides_the_same(any_document.snapshot_from_json(own), one) is Same.REFUSED


def test_another_decision_is_seen() -> None:
    snapshot = any_document.snapshot_from_json(example())
    one = redacted(snapshot)
    assert decides_the_same(snapshot, one) is Same.YES
    first, second, *others = one.snapshot["clients"]  # type: ignore[misc]  # an object of the document
    exchanged = {first: second, second: first}
    clients: Any = one.snapshot["clients"]
    moved = {**one.snapshot, "clients": {exchanged.get(key, key): client for key, client in clients.items()}}

    assert decides_the_same(snapshot, replace(one, snapshot=moved)) is Same.NO
    assert others


def test_a_change_that_does_not_fit_the_group_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no client of the group is called 'nowhere'"):
        redacted_documents(example(), {"format_version": "1.0", "events": [{"remove_client": {"client": "nowhere"}}]})


def test_the_mapping_gives_every_name_back() -> None:
    one = redacted_documents(example(), example("change"))
    names: Any = mapping_to_json(one)["names"]

    assert names["host"]["host-05"] == "app-3"
    assert names["group"] == {"group": "streams-wordcount"}
    assert len({new for role in names.values() for new in role}) == sum(map(len, names.values()))
