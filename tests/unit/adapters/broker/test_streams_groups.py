"""Streams groups whose broker assigns: which requests go to whom, and what their answers mean. Bytes are as Kafka writes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors
from kafka.protocol.admin import DescribeConfigsRequest, DescribeGroupsRequest, DescribeGroupsResponse, ListGroupsRequest
from kafka.protocol.metadata import ApiVersionsRequest, FindCoordinatorResponse
from tests.harness.kafka import described_groups, streams_group_bytes

from holdfast.adapters.broker import streams_groups
from holdfast.adapters.broker.group_questions import GroupQuestions
from holdfast.adapters.broker.messages.streams_group_describe import (
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
    Undecoded,
)
from holdfast.errors import ClusterTrouble, HoldfastError, Unsupported
from holdfast.kafka.wire.streams_group_description import DescribedGroup
from holdfast.ports import GroupConfig, ObservedGroup

ABSENT = errors.GroupIdNotFoundError.errno
NOT_COORDINATOR = errors.NotCoordinatorError.errno
WITHOUT_TOPICS = errors.TopicAuthorizationFailedError.errno
FORBIDDEN = errors.GroupAuthorizationFailedError.errno
DESCRIBE, DESCRIBE_CONFIGS = 8, 10


@dataclass
class Brokers:
    """One broker with groups by name: their kind, and for streams groups the codes of their descriptions, one after the other."""

    kinds: dict[str, str]
    codes: dict[str, list[int]] = field(default_factory=dict)
    unknown_to: frozenset[type] = frozenset()
    broken: bool = False
    version: int = 0
    features: tuple[tuple[str, int], ...] = (("metadata.version", 30),)
    config_codes: dict[str, int] = field(default_factory=dict)
    sent: list[Any] = field(default_factory=list)
    nodes = (1,)

    def speaks(self, request: Any, _version: int) -> bool:
        return request not in self.unknown_to

    def attempts(self) -> Iterator[int]:
        return iter(range(3))

    def ask_any(self, _what: str, request: Any) -> Any:
        self.sent.append(request)
        if isinstance(request, DescribeConfigsRequest):
            return SimpleNamespace(results=[self._configs(one.resource_name) for one in request.resources if one.resource_name])
        one = FindCoordinatorResponse.Coordinator
        return FindCoordinatorResponse(coordinators=[one(key=key, node_id=1, error_code=0) for key in request.coordinator_keys])

    def ask(self, _what: str, requests: Mapping[int, Sequence[Any]]) -> tuple[dict[int, list[Any]], dict[int, str]]:
        self.sent += [request for asked in requests.values() for request in asked]
        return {node: [self._answer(request) for request in asked] for node, asked in requests.items()}, {}

    def _answer(self, request: Any) -> Any:
        match request:
            case DescribeGroupsRequest():
                one = DescribeGroupsResponse.DescribedGroup
                classic = {name for name, kind in self.kinds.items() if kind == "classic"}
                codes = {name: 0 if name in classic else ABSENT for name in request.groups}
                return DescribeGroupsResponse(
                    groups=[one(group_id=name, error_code=code, group_state="Stable") for name, code in codes.items()]
                )
            case ListGroupsRequest():
                wanted = [
                    (name, kind) for name, kind in self.kinds.items() if kind in (request.types_filter or self.kinds.values())
                ]
                groups = [
                    SimpleNamespace(group_id=name, protocol_type=kind, group_type=kind.capitalize(), group_state="Stable")
                    for name, kind in wanted
                ]
                return SimpleNamespace(error_code=0, groups=groups)
            case ApiVersionsRequest():
                features = [SimpleNamespace(name=name, max_version=version) for name, version in self.features]
                return SimpleNamespace(supported_features=features)
            case StreamsGroupDescribeRequest():
                groups = [self._described(name, rights=request.include_authorized_operations) for name in request.group_ids]
                body = streams_group_bytes.described(groups, self.version)
                return Undecoded(self.version, body[:-1] if self.broken else body, 0)
        raise AssertionError(request)

    def _described(self, name: str, *, rights: bool) -> DescribedGroup:
        codes = self.codes.get(name)
        code = codes.pop(0) if codes else 0
        if self.kinds.get(name) != "streams" or code:
            return replace(described_groups.group((), topology=None, group_id=name, state=""), error_code=code or ABSENT)
        operations = 1 << DESCRIBE | 1 << DESCRIBE_CONFIGS if rights else -(2**31)
        found = described_groups.group(group_id=name, assignor="sticky" if self.version else None)
        return replace(found, authorized_operations=operations)

    def _configs(self, name: str) -> Any:
        configs = [
            SimpleNamespace(name="streams.num.standby.replicas", value="1", config_source=8),
            SimpleNamespace(name="streams.assignor.name", value=None, config_source=5),
        ]
        return SimpleNamespace(resource_name=name, error_code=self.config_codes.get(name, 0), configs=configs)

    def asked(self, kind: type) -> list[Any]:
        return [one for one in self.sent if isinstance(one, kind)]


def questions(brokers: Brokers) -> GroupQuestions:
    return GroupQuestions(brokers)  # type: ignore[arg-type]


def described(brokers: Brokers, *names: str) -> dict[str, ObservedGroup | HoldfastError]:
    return questions(brokers).described(names)


def test_classic_and_streams_groups_side_by_side() -> None:
    brokers = Brokers({"a": "classic", "b": "streams", "c": "share", "d": "streams"})
    found = described(brokers, "a", "b", "c", "d", "e")
    streams = found["b"]
    assert isinstance(streams, ObservedGroup)
    assert (streams.described, streams.metadata_version, streams.size) == (described_groups.group(group_id="b"), 30, 2)
    assert isinstance(found["a"], ObservedGroup)
    assert found["a"].described is None
    assert isinstance(found["c"], Unsupported)
    assert "there is no group 'e'" in str(found["e"])
    assert [one.types_filter for one in brokers.asked(ListGroupsRequest)] == [["streams", "consumer", "share"]]


@pytest.mark.thorough
def test_kinds_are_remembered_and_a_coordinator_is_asked_for_its_release_once() -> None:
    brokers = Brokers({f"g{number}": "streams" for number in range(250)}, version=1)
    asked = questions(brokers)
    listed, problems = asked.listed()
    assert ({one.kind for one in listed}, problems) == ({"streams"}, ())
    for _ in range(2):
        found = asked.described(brokers.kinds)
        assert {one.protocol for one in found.values() if isinstance(one, ObservedGroup)} == {"sticky"}
    assert [len(one.group_ids) for one in brokers.asked(StreamsGroupDescribeRequest)] == [100, 100, 50] * 2
    assert not brokers.asked(DescribeGroupsRequest)
    assert len(brokers.asked(ApiVersionsRequest)) == len(brokers.asked(ListGroupsRequest)) == 1


def test_a_group_that_changes_its_kind_is_found_again() -> None:
    brokers = Brokers({"a": "streams"})
    asked = questions(brokers)
    assert asked.described(["a"])["a"].described is not None  # type: ignore[union-attr]
    brokers.kinds["a"] = "classic"
    assert asked.described(["a"])["a"].described is None  # type: ignore[union-attr]
    brokers.kinds["a"] = "streams"
    assert asked.described(["a"])["a"].described is not None  # type: ignore[union-attr]
    del brokers.kinds["a"]
    assert isinstance(asked.described(["a"])["a"], ClusterTrouble)


def test_a_coordinator_that_has_moved_is_looked_for() -> None:
    brokers = Brokers({"a": "streams"}, {"a": [NOT_COORDINATOR]})
    assert isinstance(described(brokers, "a")["a"], ObservedGroup)


def test_whoever_may_not_describe_the_topics_is_told_so() -> None:
    found = described(Brokers({"a": "streams", "b": "streams"}, {"a": [WITHOUT_TOPICS]}), "a", "b")
    assert "DESCRIBE on all topics of its topology" in str(found["a"])
    assert isinstance(found["b"], ObservedGroup)


def test_bytes_that_no_broker_writes_are_a_refusal() -> None:
    found = described(Brokers({"a": "streams"}, broken=True), "a")["a"]
    assert isinstance(found, ClusterTrouble)
    assert (found.lasting, "StreamsGroupDescribeResponse" in str(found)) == (True, True)


def test_brokers_that_are_too_old_are_named() -> None:
    brokers = Brokers({"a": "streams"}, unknown_to=frozenset({StreamsGroupDescribeRequest}))
    assert "Kafka 4.2 and later" in str(described(brokers, "a")["a"])


def test_brokers_without_types_have_no_other_groups() -> None:
    brokers = Brokers({"a": "streams"}, unknown_to=frozenset({ListGroupsRequest}))
    assert isinstance(described(brokers, "a")["a"], ClusterTrouble)
    assert not brokers.asked(ListGroupsRequest)


@pytest.mark.parametrize("features", [(), (("streams.version", 1),)])
def test_a_coordinator_may_not_tell_its_release(features: tuple[tuple[str, int], ...]) -> None:
    found = described(Brokers({"a": "streams"}, features=features), "a")["a"]
    assert isinstance(found, ObservedGroup)
    assert found.metadata_version is None


def test_rights_on_it() -> None:
    brokers = Brokers({"a": "streams", "b": "streams"}, {"b": [WITHOUT_TOPICS]})
    assert questions(brokers).rights("a") == (DESCRIBE, DESCRIBE_CONFIGS)
    assert questions(brokers).rights("b") == (DESCRIBE,)
    assert questions(brokers).rights("c") == (DESCRIBE,)
    with pytest.raises(ClusterTrouble, match="StreamsGroupDescribeResponse"):
        questions(Brokers({"a": "streams"}, broken=True)).rights("a")


def test_configs_of_each_group_or_why_there_are_none() -> None:
    found = questions(Brokers({}, config_codes={"b": FORBIDDEN, "c": errors.InvalidRequestError.errno})).configs(
        ["a", "b", "c", ""]
    )
    assert found["a"] == (
        GroupConfig("streams.assignor.name", "", False),
        GroupConfig("streams.num.standby.replicas", "1", True),
    )
    assert "DESCRIBE_CONFIGS on the group" in str(found["b"])
    assert "InvalidRequest" in str(found["c"])
    assert "left it out" in str(found[""])


def test_configs_that_no_broker_gives_are_a_refusal_for_each_group() -> None:
    class Silent:
        def ask_any(self, what: str, _request: Any) -> Any:
            raise ClusterTrouble(f"{what}: nobody answers")

    found = streams_groups.group_configs(Silent(), ["a", "b"])  # type: ignore[arg-type]
    assert {str(one) for one in found.values()} == {"reading the configs of the group: nobody answers"}


def test_a_response_is_kept_as_bytes() -> None:
    class Buffer:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self) -> bytes:
            return self.data

    decode = StreamsGroupDescribeResponse[1].decode
    assert decode(Buffer(b"\0\0\0\5\1\0")) == Undecoded(1, b"\0\0\0\5\1\0", 5)
    assert decode(Buffer(b"\xff\xff\xff\xff\1\0")).throttle_time_ms == 0
    assert decode(Buffer(b"\0")).throttle_time_ms == 0
