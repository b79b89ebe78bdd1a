"""When a streams group was stable, and what raised its epoch meanwhile: from the records of its members and of its epochs.

It is stable once the target of its epoch is computed and each member has what that gives it: record 22 with the group's epoch, and
the state *stable*.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.kafka.wire.streams_group_records import CurrentMember, GroupMetadata, MemberMetadata, RecordKind, TargetMetadata
from holdfast.rollout.backtest.coordinated import CoordinatorRecord
from holdfast.rollout.backtest.static_returns import StaticReturns

_STABLE = 1
"""`StreamsGroupMember.MemberState`."""


class Raised(NamedTuple):
    """The group's epoch was raised. `joined`: by a member that joined, whose heartbeat it was."""

    at_ms: int
    joined: bool


@dataclass(slots=True)
class Standing:
    """One life of a group, record by record. Since it was stable: `raised`, and `heirs`, the static members that are back, by the
    member whose place each took."""

    raised: list[Raised] = field(default_factory=list)
    heirs: dict[str, str] = field(default_factory=dict)
    _epoch: int | None = None
    _computed: int | None = None
    _members: set[str] = field(default_factory=set)
    _behind: set[str] = field(default_factory=set)
    _joins: bool = False
    _returns: StaticReturns = field(default_factory=StaticReturns)

    @property
    def without_members(self) -> bool:
        return not self._members

    def take(self, record: CoordinatorRecord) -> bool:
        """Whether the group is stable with it, and was not before."""
        value, name = record.value, record.key.member_id
        if isinstance(value, GroupMetadata):
            if self._epoch is None or value.epoch > self._epoch:
                self.raised.append(Raised(record.written_at_ms, self._joins))
                self._joins, self._behind = False, set(self._members)
            self._epoch = value.epoch
            self._returns.epoch_raised()
        elif isinstance(value, TargetMetadata):
            self._computed = value.epoch
        elif isinstance(value, MemberMetadata) and name is not None and name not in self._members:
            self._members.add(name)
            self._behind.add(name)
            old = self._returns.written(name, value.instance_id)
            if old is None:
                self._joins = True
            else:
                self.heirs.pop(name, None)  # it had another place before
                self.heirs[old] = name
        elif record.key.kind is RecordKind.MEMBER_METADATA and value is None and name is not None:
            self._members.discard(name)
            self._behind.discard(name)
            self._returns.removed(name)
        elif isinstance(value, CurrentMember) and name is not None:
            return self._has(name, value)
        return False

    def begin(self) -> None:
        """Forget what has raised the epoch so far, and who came back."""
        self.raised, self.heirs = [], {}

    def now(self, member_id: str) -> str:
        """The member that has its place: itself, or a static one that is back under another ID."""
        while member_id in self.heirs:
            member_id = self.heirs[member_id]
        return member_id

    def _has(self, name: str, value: CurrentMember) -> bool:
        if value.member_epoch != self._epoch or value.state != _STABLE:
            self._behind.add(name)
            return False
        self._behind.discard(name)
        return not self._behind and self._computed == self._epoch and bool(self.raised)
