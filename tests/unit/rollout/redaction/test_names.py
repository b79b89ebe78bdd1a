"""What stands for names: in their order, with their parts, the same always by the same."""

from uuid import UUID

import pytest

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

A, B = "bbb83e43-b1af-4b2d-a60a-94a7091684d0", "4b61083e-57d0-457d-951f-d06556c148ca"


def names(*pairs: tuple[Role, str], streams: bool = True, deciding: tuple[Role, ...] = (), keeps: bool = True) -> Names:
    found = Found("payments", streams=streams, deciding=deciding)
    for role, name in pairs:
        found.add(role, name)
    return Names(found, keeps_hash_codes=keeps)


def test_names_are_numbered_in_the_order_of_java() -> None:
    one = names(*((Role.HOST, name) for name in ("/10.0.0.7", "é", "a", "\U0001f600", "\uffee")))

    assert [one.of(Role.HOST, name) for name in ("10.0.0.7", "a", "é", "\U0001f600", "\uffee")] == [
        f"host-0{number}" for number in range(1, 6)
    ]
    assert one.of(Role.HOST, "/10.0.0.7") == "/host-01"
    assert one.of(Role.HOST, "") == ""


def test_topics_of_streams_keep_their_parts_and_their_order() -> None:
    topics = ("orders", "payments-a-changelog", "payments-a-repartition", "payments-b-changelog", "zones")
    one = names(*((Role.TOPIC, name) for name in topics))
    new = [one.of(Role.TOPIC, name) for name in topics]

    assert new == ["a-topic-01", "group-store-01-changelog", "group-store-01-repartition", "group-store-02-changelog", "topic-01"]
    assert one.store("a") == "store-01"


def test_a_topic_keeps_its_hash_code_where_that_decides() -> None:
    pairs = ((Role.TOPIC, "orders"), (Role.TOPIC, "returns"))
    kept, plain = names(*pairs, streams=False, deciding=(Role.TOPIC,)), names(*pairs, streams=False)
    hidden = names(*pairs, streams=False, deciding=(Role.TOPIC,), keeps=False)

    assert java.string_hash(kept.of(Role.TOPIC, "orders")) == java.string_hash("orders")
    assert kept.of(Role.TOPIC, "orders") < kept.of(Role.TOPIC, "returns")
    assert kept.hash_codes == {Role.TOPIC: 2}
    assert plain.of(Role.TOPIC, "orders") == hidden.of(Role.TOPIC, "orders") == "topic-01"
    assert not plain.hash_codes
    assert not hidden.hash_codes


def test_process_ids_keep_their_signed_order_and_both_hash_codes() -> None:
    near = [str(UUID(int=int(UUID(B)) ^ (1 << bit))) for bit in (0, 63, 64, 100)]
    ids = [A, B, *near]
    one = names(*((Role.PROCESS, name) for name in ids))
    in_order = sorted(map(ProcessId.parse, ids))

    assert [one.process(each) for each in in_order] == sorted(map(one.process, in_order))
    for each in in_order:
        new = one.process(each)
        assert (java.uuid_hash(new.bits), java.string_hash(str(new))) == (java.uuid_hash(each.bits), java.string_hash(str(each)))
        assert str(new)[:4] == str(each)[:4]
        assert new != each


def test_client_ids_and_member_ids_keep_what_streams_puts_into_them() -> None:
    client = f"payments-{A}-StreamThread-2-consumer"
    member = f"{client}-{B}"
    one = names((Role.PROCESS, A), (Role.CLIENT, client), (Role.MEMBER, member))
    process = one.of(Role.PROCESS, A)

    assert one.of(Role.CLIENT, client) == f"group-{process}-StreamThread-2-consumer"
    assert one.of(Role.MEMBER, member).startswith(f"group-{process}-StreamThread-2-consumer-{B[:4]}")
    assert java.string_hash(one.of(Role.MEMBER, member)) == java.string_hash(member)


def test_members_of_client_ids_that_begin_with_each_other_keep_their_order() -> None:
    """`app-1-…` is among the members of `app`: what stands for them goes by rank."""
    members = [f"app-{start}{B[1:]}" for start in "09f"] + [f"app-1-{A}", f"app-1-{B}"]
    one = names(*((Role.MEMBER, name) for name in members), streams=False)
    new = [one.of(Role.MEMBER, name) for name in sorted(members)]

    assert new == sorted(new)
    assert [java.string_hash(name) for name in new] == [java.string_hash(name) for name in sorted(members)]


def test_no_hash_code_is_kept_where_that_is_asked_for() -> None:
    one = names((Role.PROCESS, A), (Role.MEMBER, f"app-{B}"), keeps=False)

    assert java.string_hash(one.of(Role.MEMBER, f"app-{B}")) != java.string_hash(f"app-{B}")
    assert java.uuid_hash(one.process(ProcessId.parse(A)).bits) != java.uuid_hash(ProcessId.parse(A).bits)


def test_what_stands_for_a_name_says_nothing_more_of_it_than_is_kept() -> None:
    """The same but for the names: other texts in the same order, whose hash codes decide nothing."""
    one = names((Role.HOST, "db-prod-1"), (Role.TOPIC, "salaries"))
    other = names((Role.HOST, "z"), (Role.TOPIC, "zebras"))

    assert one.of(Role.HOST, "db-prod-1") == other.of(Role.HOST, "z")
    assert one.of(Role.TOPIC, "salaries") == other.of(Role.TOPIC, "zebras")


def test_more_ids_that_begin_alike_than_there_is_room_for_are_refused() -> None:
    found = Found("payments", streams=True)
    for number in range(65_537):
        found.add(Role.PROCESS, f"00000000-0000-4000-8000-{number:012x}")

    with pytest.raises(InvalidInput, match="65,537 IDs begin with 0000"):
        Names(found)
