"""Group data from coordinators: as many groups per request as the broker accepts, all coordinators in parallel.

Kafka has batches for finding coordinators since 2.8 (KIP-699), for describing groups always, for committed offsets since 3.0
(KIP-709). Older brokers are asked a group at a time, over the same connections.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from kafka import errors as kafka_errors
from kafka.admin import ACLOperation
from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import CoordinatorType, FindCoordinatorRequest

from holdfast.adapters.broker import streams_groups
from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.consumer_groups import CONSUMERS
from holdfast.adapters.broker.describing import Describing
from holdfast.adapters.broker.session import PASSING, refusal
from holdfast.adapters.broker.streams_groups import STREAMS
from holdfast.errors import ClusterTrouble, HoldfastError, Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import GroupConfigs, ListedGroup, ObservedGroup
from holdfast.rollout.streams.snapshot.snapshot import GenerationMember

_Requests = Sequence[tuple[Any, Sequence[str]]]
"""Requests, each with the groups that it is about."""
_Read = Callable[[Any, Sequence[str]], Iterable[tuple[str, int, Any]]]
"""A response, and what its request was about → group ID, error code, answer."""
Offsets = tuple[tuple[TopicPartition, int], ...]

_GROUPS_A_REQUEST = 100
"""A large group's description has megabytes, and a client takes no answer beyond 100 MB."""
_KEYS_A_REQUEST = 1_000
_WITH_TYPES = 5
"""The version of ListGroups that distinguishes types (3.8)."""
_LISTING = "listing the groups"
_TOO_OLD = {
    "streams": "is a streams group (KIP-1071); its brokers do not describe such groups (Kafka 4.2 and later do)",
    "consumer": "is a consumer group that its brokers assign (KIP-848); they do not describe such groups (Kafka 4.0 and later do)",
}
_GROUP_ID_NOT_FOUND = kafka_errors.GroupIdNotFoundError.errno
_ELSEWHERE = (kafka_errors.NotCoordinatorError, kafka_errors.CoordinatorNotAvailableError)
_DESCRIBING: Mapping[str, Describing[Any]] = {"streams": STREAMS, "consumer": CONSUMERS}
"""By the kind that brokers list."""
_NOT_COVERED = {"share": "a share group (KIP-932)"}


class GroupQuestions:
    """Remembers who coordinates a group until it does so no more."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._coordinators: dict[str, int] = {}
        self._kinds: dict[str, str] = {}
        """Of the groups that were last listed as others than classic ones."""
        self._metadata_versions: dict[int, int | None] = {}

    def described(self, group_ids: Iterable[str]) -> dict[str, ObservedGroup | HoldfastError]:
        """Each group as its coordinator describes it, or why it does not."""
        wanted = tuple(dict.fromkeys(group_ids))
        found: dict[str, Any] = self._described_by_kind(wanted)
        classic = [one for one in wanted if found.get(one) is None]
        found |= self._asked("describing the group", classic, _describe, _descriptions)
        absent = [group_id for group_id, answer in found.items() if answer is None]
        return found | self._described_otherwise(absent)

    def rights(self, group_id: str) -> Sequence[int]:
        """The codes of what this user may do on a group; none where it may not describe it. Raise ClusterTrouble."""

        def requests(batch: Sequence[str]) -> _Requests:
            return ((DescribeGroupsRequest(groups=list(batch), include_authorized_operations=True), batch),)

        what = "reading the permissions on the group"
        answer = self._asked(what, (group_id,), requests, _rights)[group_id]
        if answer is None:
            self._list_others()
            describing = _DESCRIBING.get(self._kinds.get(group_id, ""))
            if describing is None:
                return (ACLOperation.DESCRIBE.value,)
            answer = self._asked(what, (group_id,), describing.describe_with_rights, describing.rights)[group_id]
        if not isinstance(answer, HoldfastError):
            return tuple(answer)
        if isinstance(answer.__cause__, kafka_errors.GroupAuthorizationFailedError):
            return ()
        raise answer

    def committed(self, group_ids: Iterable[str]) -> dict[str, Offsets | HoldfastError]:
        """What each group has committed, sorted by partition, or why it is unknown."""
        batched = self._brokers.speaks(OffsetFetchRequest, 8)
        return self._asked("reading the committed offsets of", group_ids, _fetch_together if batched else _fetch_each, _offsets)

    def listed(self) -> tuple[tuple[ListedGroup, ...], tuple[str, ...]]:
        """All groups that may be described, sorted by ID; and which brokers did not say theirs, and why."""
        found, problems = self._listed(ListGroupsRequest)
        return tuple(found[name] for name in sorted(found)), tuple(f"{_LISTING}: {problems[node]}" for node in sorted(problems))

    def _list_others(self) -> None:
        """Find out which groups are no classic ones. Brokers before 3.8 have no others."""
        if self._brokers.speaks(ListGroupsRequest, _WITH_TYPES):
            types = [*_DESCRIBING, *_NOT_COVERED]
            self._listed(lambda: ListGroupsRequest(states_filter=[], types_filter=types, min_version=_WITH_TYPES))

    def _listed(self, request: Callable[[], ListGroupsRequest]) -> tuple[dict[str, ListedGroup], dict[int, str]]:
        """By ID; and why a broker did not say its groups."""
        answers, problems = self._brokers.ask(_LISTING, {node: (request(),) for node in self._brokers.nodes})
        found: dict[str, ListedGroup] = {}
        for node, (answer,) in ((node, given) for node, given in answers.items() if given):
            if answer.error_code:
                problems[node] = f"broker {node}: {refusal(kafka_errors.for_code(answer.error_code)())}"
            for one in answer.groups:
                kind = (getattr(one, "group_type", None) or "classic").lower()
                state = getattr(one, "group_state", None) or ""
                found.setdefault(one.group_id, ListedGroup(one.group_id, one.protocol_type, kind, state))
        others = {name: one.kind for name, one in found.items() if one.kind != "classic"}
        self._kinds = self._kinds | others if problems else others
        return found, problems

    def alter_configs(self, group_id: str, settings: Mapping[str, str | None]) -> None:
        streams_groups.alter_configs(self._brokers, group_id, settings)

    def configs(self, group_ids: Iterable[str]) -> dict[str, GroupConfigs | HoldfastError]:
        """The configs of each group, or why they are unknown."""
        return streams_groups.group_configs(self._brokers, tuple(dict.fromkeys(group_ids)))

    def _described_by_kind(self, group_ids: Sequence[str]) -> dict[str, ObservedGroup | HoldfastError | None]:
        """Those that were listed as groups whose coordinator assigns. None: there is no such group any more."""
        found: dict[str, ObservedGroup | HoldfastError | None] = {}
        for kind in _DESCRIBING:
            found |= self._described_as(kind, [one for one in group_ids if self._kinds.get(one) == kind])
        return found

    def _described_as(self, kind: str, group_ids: Sequence[str]) -> dict[str, ObservedGroup | HoldfastError | None]:
        if not group_ids:
            return {}
        describing = _DESCRIBING[kind]
        if not describing.spoken_by(self._brokers):
            return {one: Unsupported(f"{one!r} {_TOO_OLD[kind]}") for one in group_ids}
        found = self._asked("describing the group", group_ids, describing.describe, describing.descriptions)
        nodes = {self._coordinators[one] for one in group_ids if one in self._coordinators}
        self._metadata_versions |= streams_groups.newest_metadata_versions(
            self._brokers, sorted(nodes - self._metadata_versions.keys())
        )
        return {one: self._observed(describing, one, answer) for one, answer in found.items()}

    def _observed(self, describing: Describing[Any], group_id: str, answer: Any) -> ObservedGroup | HoldfastError | None:
        if answer is None or isinstance(answer, HoldfastError):
            return answer
        return describing.observed(answer, self._metadata_versions.get(self._coordinators.get(group_id, -1)))

    def _described_otherwise(self, group_ids: Sequence[str]) -> dict[str, ObservedGroup | HoldfastError]:
        """Of groups that the classic description does not know: they may be of another protocol."""
        if not group_ids:
            return {}
        self._list_others()
        others = self._described_by_kind(group_ids)
        found: dict[str, ObservedGroup | HoldfastError] = {one: answer for one, answer in others.items() if answer is not None}
        for group_id in group_ids:
            kind = self._kinds.get(group_id)
            if group_id in found:
                continue
            if kind in _NOT_COVERED:
                found[group_id] = Unsupported(f"{group_id!r} is {_NOT_COVERED[kind]}, which is not covered")
            else:
                found[group_id] = ClusterTrouble(
                    f"there is no group {group_id!r} in this cluster, or this user may not see it. A Streams group is named as its "
                    "application.id; kafka-consumer-groups.sh --list shows what there is",
                    lasting=True,
                )
        return found

    def _asked(
        self,
        what: str,
        group_ids: Iterable[str],
        requests: Callable[[Sequence[str]], _Requests],
        read: _Read,
    ) -> dict[str, Any]:
        """The answer about each group, from its coordinator, or the ClusterTrouble why there is none."""
        found: dict[str, Any] = {}
        waiting = list(dict.fromkeys(group_ids))
        for _ in self._brokers.attempts():
            found |= self._asked_once(what, waiting, requests, read)
            waiting = [
                one for one in waiting if isinstance(found[one], HoldfastError) and isinstance(found[one].__cause__, PASSING)
            ]
            if not waiting:
                break
        return found

    def _asked_once(
        self,
        what: str,
        group_ids: Sequence[str],
        requests: Callable[[Sequence[str]], _Requests],
        read: _Read,
    ) -> dict[str, Any]:
        found: dict[str, Any] = self._find_coordinators(what, group_ids)
        by_node: dict[int, list[str]] = {}
        for group_id in group_ids:
            if group_id not in found:
                by_node.setdefault(self._coordinators[group_id], []).append(group_id)
        to_send = {
            node: [one for batch in _cut(requested, _GROUPS_A_REQUEST) for one in requests(batch)]
            for node, requested in sorted(by_node.items())
        }
        plain = {node: [request for request, _ in sent] for node, sent in to_send.items()}
        answers, problems = self._brokers.ask(f"{what} {_named(group_ids)}", plain)
        for node, requested in by_node.items():
            for (_, about), response in zip(to_send[node], answers[node], strict=False):  # where it answered
                for group_id, code, answer in read(response, about):
                    found[group_id] = _trouble(what, group_id, code) if code else answer
            for group_id in requested:
                if group_id not in found:
                    because = problems.get(node, "the coordinator's response does not contain it")
                    found[group_id] = ClusterTrouble(f"{what} {group_id!r}: {because}")
                if node in problems or (isinstance(found[group_id], HoldfastError) and _moved_on(found[group_id])):
                    self._coordinators.pop(group_id, None)
        return found

    def _find_coordinators(self, what: str, group_ids: Sequence[str]) -> dict[str, ClusterTrouble]:
        """Find out who coordinates the groups whose coordinator is unknown. Return those without an answer."""
        unknown = [one for one in group_ids if one not in self._coordinators]
        failed: dict[str, ClusterTrouble] = {}
        if self._brokers.speaks(FindCoordinatorRequest, 4):
            for batch in _cut(unknown, _KEYS_A_REQUEST):
                request = FindCoordinatorRequest(key_type=CoordinatorType.GROUP.value, coordinator_keys=list(batch), min_version=4)
                for one in self._brokers.ask_any(f"{what} {_named(batch)}", request).coordinators:
                    self._note_coordinator(what, one.key, one, failed)
        else:
            for group_id in unknown:
                request = FindCoordinatorRequest(key=group_id, key_type=CoordinatorType.GROUP.value, max_version=3)
                self._note_coordinator(what, group_id, self._brokers.ask_any(f"{what} {group_id!r}", request), failed)
        return failed

    def _note_coordinator(self, what: str, group_id: str, found: Any, failed: dict[str, ClusterTrouble]) -> None:
        if found.error_code:
            failed[group_id] = _trouble(what, group_id, found.error_code)
        else:
            self._coordinators[group_id] = int(found.node_id)


def _moved_on(trouble: HoldfastError) -> bool:
    return isinstance(trouble.__cause__, _ELSEWHERE)


def _trouble(what: str, group_id: str, code: int) -> ClusterTrouble:
    """Kafka's error as Holdfast's, with Kafka's as its cause."""
    error = kafka_errors.for_code(code)()
    trouble = ClusterTrouble(f"{what} {group_id!r}: {refusal(error)}", lasting=not isinstance(error, PASSING))
    trouble.__cause__ = error
    return trouble


def _cut(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (names[start : start + size] for start in range(0, len(names), size))


def _named(group_ids: Sequence[str]) -> str:
    return repr(group_ids[0]) if len(group_ids) == 1 else f"of {len(group_ids)} groups"


def _describe(batch: Sequence[str]) -> _Requests:
    return ((DescribeGroupsRequest(groups=list(batch)), batch),)


def _descriptions(response: Any, _: Sequence[str]) -> Iterator[tuple[str, int, ObservedGroup | None]]:
    """None: there is no such group among the classic ones."""
    for group in response.groups:
        absent = group.error_code == _GROUP_ID_NOT_FOUND or group.group_state == "Dead"
        yield group.group_id, 0 if absent else group.error_code, None if absent or group.error_code else _observed(group)


def _observed(group: Any) -> ObservedGroup:
    members = tuple(
        GenerationMember(
            member.member_id,
            member.client_id,
            member.client_host,
            member.group_instance_id,
            bytes(member.member_metadata or b""),
            bytes(member.member_assignment or b""),
        )
        for member in group.members
    )
    return ObservedGroup(group.group_id, group.group_state, group.protocol_type, group.protocol_data or "", members)


def _rights(response: Any, _: Sequence[str]) -> Iterator[tuple[str, int, Sequence[int] | None]]:
    """None: there is no such group among the classic ones. This answer implies the right to describe it: brokers check rights
    first."""
    for group in response.groups:
        absent = group.error_code == _GROUP_ID_NOT_FOUND
        yield group.group_id, 0 if absent else group.error_code, None if absent else tuple(group.authorized_operations or ())


def _fetch_together(batch: Sequence[str]) -> _Requests:
    one_group = OffsetFetchRequest.OffsetFetchRequestGroup
    groups = [one_group(group_id=group_id, topics=None) for group_id in batch]
    return ((OffsetFetchRequest(groups=groups, min_version=8, max_version=8), batch),)


def _fetch_each(batch: Sequence[str]) -> _Requests:
    return tuple(
        (OffsetFetchRequest(group_id=group_id, topics=None, min_version=2, max_version=7), (group_id,)) for group_id in batch
    )


def _offsets(response: Any, about: Sequence[str]) -> Iterator[tuple[str, int, Offsets]]:
    """Up to version 7 a response does not name its group."""
    together = response.API_VERSION >= 8
    for group_id, group in [(one.group_id, one) for one in response.groups] if together else [(about[0], response)]:
        found = {
            TopicPartition(topic.name, one.partition_index): one.committed_offset
            for topic in group.topics
            for one in topic.partitions
            if not one.error_code and one.committed_offset >= 0
        }
        yield group_id, group.error_code, tuple(sorted(found.items()))
