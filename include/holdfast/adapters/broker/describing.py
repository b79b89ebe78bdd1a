"""How coordinators are asked to describe the groups that they assign, kind by kind, and how their answers are read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from kafka import errors as kafka_errors
from kafka.admin import ACLOperation

from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.messages.undecoded import Undecoded
from holdfast.errors import ClusterTrouble, HoldfastError, MalformedBytes
from holdfast.ports import ObservedGroup


class _Described(Protocol):
    @property
    def error_code(self) -> int: ...
    @property
    def group_id(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def authorized_operations(self) -> int: ...


G = TypeVar("G", bound=_Described)


@dataclass(frozen=True, slots=True)
class Describing(Generic[G]):
    """`request`: the class of the request; `decode`: its response. `needs`: the right on topics without which a group is not
    described. `observed`: a group as it was described; the newest `metadata.version` of its coordinator."""

    request: Any
    decode: Callable[[bytes, int], Sequence[G]]
    needs: str
    observed: Callable[[G, int | None], ObservedGroup]

    def spoken_by(self, brokers: Brokers) -> bool:
        """Whether the brokers describe such groups at all."""
        return brokers.speaks(self.request, 0)

    def describe(self, batch: Sequence[str]) -> tuple[tuple[Any, Sequence[str]], ...]:
        return ((self.request(group_ids=list(batch)), batch),)

    def describe_with_rights(self, batch: Sequence[str]) -> tuple[tuple[Any, Sequence[str]], ...]:
        return ((self.request(group_ids=list(batch), include_authorized_operations=True), batch),)

    def descriptions(self, response: Undecoded, about: Sequence[str]) -> Iterator[tuple[str, int, G | HoldfastError | None]]:
        """None: there is no such group."""
        for group in self._decoded(response, about):
            if isinstance(group, tuple):
                yield group[0], 0, group[1]
            elif group.error_code == kafka_errors.GroupIdNotFoundError.errno or group.state == "Dead":
                yield group.group_id, 0, None
            elif group.error_code == kafka_errors.TopicAuthorizationFailedError.errno:
                yield group.group_id, 0, self._without_topics(group)
            else:
                yield group.group_id, group.error_code, group

    def rights(self, response: Undecoded, about: Sequence[str]) -> Iterator[tuple[str, int, Sequence[int] | HoldfastError]]:
        """The codes of a permitted request. The answer that a topic must not be described implies the right to describe the
        group."""
        for group in self._decoded(response, about):
            if isinstance(group, tuple):
                yield group[0], 0, group[1]
            elif group.error_code == kafka_errors.TopicAuthorizationFailedError.errno or group.authorized_operations < 0:
                yield group.group_id, 0, (ACLOperation.DESCRIBE.value,)
            else:
                yield group.group_id, group.error_code, tuple(bit for bit in range(31) if group.authorized_operations >> bit & 1)

    def _decoded(self, response: Undecoded, about: Sequence[str]) -> Sequence[G | tuple[str, HoldfastError]]:
        try:
            return self.decode(response.body, response.version)
        except MalformedBytes as trouble:
            return [(group_id, ClusterTrouble(f"describing the group {group_id!r}: {trouble}", lasting=True)) for group_id in about]

    def _without_topics(self, group: G) -> ClusterTrouble:
        return ClusterTrouble(f"describing the group {group.group_id!r}: not authorized: {self.needs}", lasting=True)
