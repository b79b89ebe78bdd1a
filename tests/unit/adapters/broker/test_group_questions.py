"""Which requests go to whom, and what answers mean, with batches and without, as for older brokers. Answers are kafka-python's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kafka import errors
from kafka.protocol.admin import DescribeGroupsRequest, DescribeGroupsResponse, ListGroupsRequest, ListGroupsResponse
from kafka.protocol.consumer import OffsetFetchRequest, OffsetFetchResponse
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from holdfast.adapters.broker.group_questions import GroupQuestions
from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import ObservedGroup

NOT_COORDINATOR = errors.NotCoordinatorError.errno
NOT_AVAILABLE = errors.CoordinatorNotAvailableError.errno
FORBIDDEN = errors.GroupAuthorizationFailedError.errno
ABSENT = errors.GroupIdNotFoundError.errno


class Brokers:
    """Two brokers that answer at once. Groups whose ID ends with 1 live with broker 1, the others with broker 2.

    `codes`: what is wrong with a group, for the given number of questions. `gone`: brokers that do not answer. `old`: they know no
    batches.
    """

    nodes = (1, 2)

    def __init__(self, codes: Mapping[str, Sequence[int]] | None = None, gone: tuple[int, ...] = (), *, old: bool = False) -> None:
        self._codes = {group_id: list(found) for group_id, found in (codes or {}).items()}
        self._gone = gone
        self._old = old
        self.sent: list[tuple[int, Any]] = []

    def speaks(self, _request: Any, _version: int) -> bool:
        return not self._old

    def attempts(self) -> Iterator[int]:
        return iter(range(3))

    def ask_any(self, _what: str, request: Any) -> Any:
        self.sent.append((0, request))
        keys = [request.key] if self._old else request.coordinator_keys
        one = FindCoordinatorResponse.Coordinator
        found = [one(key=key, node_id=1 if key.endswith("1") else 2, error_code=0) for key in keys]
        if self._old:
            return FindCoordinatorResponse(node_id=found[0].node_id, error_code=0)
        return FindCoordinatorResponse(coordinators=found)

    def ask(self, _what: str, requests: Mapping[int, Sequence[Any]]) -> tuple[dict[int, list[Any]], dict[int, str]]:
        self.sent += [(node, request) for node, asked in requests.items() for request in asked]
        problems = {node: f"broker {node} did not answer within 6 s" for node in requests if node in self._gone}
        return {
            node: [] if node in problems else [self._answer(request) for request in asked] for node, asked in requests.items()
        }, problems

    def _answer(self, request: Any) -> Any:
        match request:
            case DescribeGroupsRequest():
                one = DescribeGroupsResponse.DescribedGroup
                groups = [one(group_id=name, error_code=self._code(name), group_state="Stable") for name in request.groups]
                return DescribeGroupsResponse(groups=groups)
            case OffsetFetchRequest():
                return self._offsets(request)
            case ListGroupsRequest():
                one = ListGroupsResponse.ListedGroup
                return ListGroupsResponse(
                    error_code=0, groups=[one(group_id="new-1", protocol_type="consumer", group_type="share")]
                )
        raise AssertionError(request)

    def _offsets(self, request: Any) -> Any:
        def topics(topic: Any, partition: Any, name: str) -> list[Any]:
            """One partition has an offset, as long as the group's name, and another one has none."""
            offsets = enumerate((len(name), -1))
            return [
                topic(
                    name="t", partitions=[partition(partition_index=at, committed_offset=end, error_code=0) for at, end in offsets]
                )
            ]

        if self._old:
            name, old = request.group_id, OffsetFetchResponse.OffsetFetchResponseTopic
            found = OffsetFetchResponse(error_code=self._code(name), topics=topics(old, old.OffsetFetchResponsePartition, name))
            found.API_VERSION = 5
            return found
        one = OffsetFetchResponse.OffsetFetchResponseGroup
        new = one.OffsetFetchResponseTopics
        groups = [
            one(
                group_id=each.group_id,
                error_code=self._code(each.group_id),
                topics=topics(new, new.OffsetFetchResponsePartitions, each.group_id),
            )
            for each in request.groups
        ]
        found = OffsetFetchResponse(groups=groups)
        found.API_VERSION = 8
        return found

    def _code(self, name: str) -> int:
        codes = self._codes.get(name)
        return codes.pop(0) if codes else 0

    def kinds(self) -> list[tuple[int, str]]:
        return [(node, type(request).__name__.partition("_")[0]) for node, request in self.sent]


def test_each_coordinator_is_asked_once_for_all_of_its_groups() -> None:
    brokers = Brokers()

    found = GroupQuestions(brokers).described([f"g-{number % 2 + 1}{number % 2 + 1}" for number in range(2)] + ["a-1", "b-2"])  # type: ignore[arg-type]

    assert all(isinstance(one, ObservedGroup) for one in found.values())
    assert brokers.kinds() == [(0, "FindCoordinatorRequest"), (1, "DescribeGroupsRequest"), (2, "DescribeGroupsRequest")]


def test_more_than_fit_into_one_request_are_sent_in_several() -> None:
    brokers = Brokers()

    found = GroupQuestions(brokers).described([f"g{number}-1" for number in range(250)])  # type: ignore[arg-type]

    assert len(found) == 250
    assert [len(request.groups) for node, request in brokers.sent if node] == [100, 100, 50]


def test_coordinators_are_remembered_until_they_are_others() -> None:
    brokers = Brokers({"a-1": [0, NOT_COORDINATOR]})
    questions = GroupQuestions(brokers)  # type: ignore[arg-type]
    for _ in range(3):
        assert isinstance(questions.described(["a-1"])["a-1"], ObservedGroup)

    assert [kind for _, kind in brokers.kinds()].count("FindCoordinatorRequest") == 2


def test_a_broker_that_does_not_answer_costs_its_own_groups() -> None:
    found = GroupQuestions(Brokers(gone=(1,))).described(["a-1", "b-2"])  # type: ignore[arg-type]

    assert isinstance(found["b-2"], ObservedGroup)
    assert str(found["a-1"]) == "describing the group 'a-1': broker 1 did not answer within 6 s"
    assert not found["a-1"].lasting  # type: ignore[union-attr]


def test_what_is_wrong_with_one_group_is_about_that_group() -> None:
    codes = {"no-1": [FORBIDDEN], "gone-1": [ABSENT], "new-1": [ABSENT], "late-1": [NOT_AVAILABLE] * 9}

    found = GroupQuestions(Brokers(codes)).described([*codes, "good-1"])  # type: ignore[arg-type]

    assert isinstance(found["good-1"], ObservedGroup)
    assert isinstance(found["new-1"], Unsupported)
    troubles = {name: (one.lasting, str(one)) for name, one in found.items() if isinstance(one, ClusterTrouble)}
    assert {name: lasting for name, (lasting, _) in troubles.items()} == {"no-1": True, "gone-1": True, "late-1": False}
    assert "DESCRIBE on the group" in troubles["no-1"][1]
    assert "there is no group 'gone-1'" in troubles["gone-1"][1]


def test_offsets_come_together_or_one_by_one_and_are_the_same() -> None:
    names = ["a-1", "bcd-2", "ef-2"]
    wanted = {name: ((TopicPartition("t", 0), len(name)),) for name in names}
    new, old = Brokers(), Brokers(old=True)

    assert GroupQuestions(new).committed(names) == wanted  # type: ignore[arg-type]
    assert GroupQuestions(old).committed(names) == wanted  # type: ignore[arg-type]

    assert [kind for _, kind in new.kinds()] == ["FindCoordinatorRequest", *["OffsetFetchRequest"] * 2]
    assert [kind for _, kind in old.kinds()] == [*["FindCoordinatorRequest"] * 3, *["OffsetFetchRequest"] * 3]
    assert isinstance(old.sent[0][1], FindCoordinatorRequest)


def test_a_refused_offset_of_an_old_broker_is_about_its_group() -> None:
    found = GroupQuestions(Brokers({"b-1": [FORBIDDEN]}, old=True)).committed(["a-1", "b-1"])  # type: ignore[arg-type]

    assert found["a-1"] == ((TopicPartition("t", 0), 3),)
    assert isinstance(found["b-1"], ClusterTrouble)
