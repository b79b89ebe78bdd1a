"""What a broker keeps of a group in `__consumer_offsets`, in every version of the record, written by the broker's own class."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.jvm import JAVA
from tests.harness.kafka import broker, maven

from holdfast.errors import HoldfastError, MalformedBytes, Unsupported
from holdfast.kafka.wire import group_metadata

GROUP_IDS = ("wordcount", "", "streams-wordcount", "ä😀", "polygenelubricants", "a-much-longer-group-name.with_every.kind-of-sign")


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """Five values, a key, and a partition for each group ID."""
    jars = maven.classpath(f"org.apache.kafka:kafka_2.13:{broker.RELEASE}", maven.SIMPLE_LOGGING)
    classes = maven.compile_java(JAVA / "groups", jars, release=17)
    command = [
        maven.java_tool("java"),
        "-Dfile.encoding=UTF-8",
        "-Dsun.jnu.encoding=UTF-8",
        "-cp",
        f"{classes}:{jars}",
        "holdfast.Groups",
    ]
    done = subprocess.run(
        [*command, *GROUP_IDS], capture_output=True, encoding="utf-8", timeout=600, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    return done.stdout.splitlines()


@pytest.mark.jvm
@pytest.mark.parametrize("version", range(5))
def test_each_version_of_a_group(printed: list[str], version: int) -> None:
    data = bytes.fromhex(printed[version])
    group = group_metadata.decode_value(data)

    assert (group.protocol_type, group.generation, group.leader) == ("consumer", 7, "member-2")
    assert group.protocol == (None if version == 0 else "stream")
    assert group.state_timestamp_ms == (1_700_000_000_123 if version >= 2 else None)
    assert [(each.member_id, each.client_id, each.client_host) for each in group.members] == [
        ("member-1", "client of member-1", "/10.0.0.1"),
        ("member-2", "client of member-2", "/10.0.0.1"),
    ]
    assert [each.group_instance_id for each in group.members] == (["instance-1", None] if version >= 3 else [None, None])
    assert {(each.subscription, each.assignment) for each in group.members} == {(b"\x00\x01\x80", bytes(300))}
    for length in range(len(data)):
        with pytest.raises(MalformedBytes):
            group_metadata.decode_value(data[:length])


@pytest.mark.jvm
def test_the_key_and_the_partition_of_a_group(printed: list[str]) -> None:
    assert group_metadata.decode_key(bytes.fromhex(printed[5])) == "wördcount"
    assert [group_metadata.partition_for(group_id, 50) for group_id in GROUP_IDS] == [int(line) for line in printed[6:]]


def test_other_keys_are_passed_over_and_newer_values_refused() -> None:
    assert group_metadata.decode_key((1).to_bytes(2, "big") + b"an offset") is None
    assert group_metadata.decode_key((3).to_bytes(2, "big") + b"a newer group") is None
    with pytest.raises(Unsupported, match="version 5"):
        group_metadata.decode_value((5).to_bytes(2, "big"))


@given(st.integers(0, 4), st.binary(max_size=200))
def test_no_bytes_bring_it_down(version: int, data: bytes) -> None:
    for read, head in ((group_metadata.decode_value, version), (group_metadata.decode_key, 2)):
        try:
            assert read(head.to_bytes(2, "big") + data) is not None
        except HoldfastError as refusal:
            assert str(refusal)  # noqa: PT017 - a value or a refusal: either will do
