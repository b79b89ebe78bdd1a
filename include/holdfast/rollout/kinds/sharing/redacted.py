"""A snapshot of any kind of group without its names, and a change to the group with the same replacements.

The forecast of the one is that of the other with other names (docs/sharing.md says what is kept, and what is not the same).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from holdfast.errors import HoldfastError
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of, redacting_of
from holdfast.rollout.redaction import change as changes
from holdfast.rollout.redaction.found import Role
from holdfast.rollout.redaction.names import Names
from holdfast.rollout.redaction.settings import REPLACED

_SENTENCES = frozenset(("undetermined", "error"))


@dataclass(frozen=True, slots=True)
class Redacted:
    """`snapshot`, `change`: their JSON; `change` None: none was given. `names`: what stands for each name, by role. `hash_codes`:
    how many names that people chose keep their hash codes, by role. `settings`: the keys of settings that are left out;
    `generations`: how many rebalances are, because their bytes cannot be read."""

    snapshot: Mapping[str, object]
    change: Mapping[str, object] | None
    names: Mapping[Role, Mapping[str, str]]
    hash_codes: Mapping[Role, int]
    settings: tuple[str, ...]
    generations: int


def redacted(snapshot: AnySnapshot, change: object = None, *, keeps_hash_codes: bool = True) -> Redacted:
    """`change`: a Change's JSON for this group. Raise InvalidInput for one that does not fit it."""
    kind, redacting = kind_of(snapshot), redacting_of(snapshot)
    found = redacting.names(snapshot)
    written = None if change is None else kind.change_to_json(kind.change_for(change, snapshot))
    if written is not None:
        changes.take(found, written)
        found.deciding |= redacting.deciding(changes.assignors(written))
    names = Names(found, keeps_hash_codes=keeps_hash_codes)
    before, after = (kind.snapshot_to_json(one) for one in (snapshot, redacting.redacted(snapshot, names)))
    return Redacted(
        snapshot=after,
        change=None if written is None else changes.redacted(written, names),
        names=names.mapping,
        hash_codes=names.hash_codes,
        settings=_left_out(before, after),
        generations=_count(before) - _count(after),
    )


def mapping_to_json(one: Redacted) -> dict[str, object]:
    """What its owner translates answers with: by role, each name by what stands for it."""
    return {
        "format_version": "1.0",
        "names": {role.value: {new: name for name, new in names.items()} for role, names in one.names.items() if names},
    }


class Same(StrEnum):
    """Whether the decision is the same for both groups. `REFUSED`: neither can be decided, for the same kind of reason."""

    YES = "yes"
    NO = "no"
    REFUSED = "refused"


def decides_the_same(snapshot: AnySnapshot, one: Redacted) -> Same:
    """In a rebalance now: task by task, with the names in the place of what stands for them."""
    names = {new: name for role in one.names.values() for name, new in role.items()}
    before, after = _decided(snapshot), _decided(any_document.snapshot_from_json(one.snapshot))
    if isinstance(before, type) or isinstance(after, type):
        return Same.REFUSED if before is after else Same.NO
    return Same.YES if _renamed(before, {}) == _renamed(after, names) else Same.NO


def _decided(snapshot: AnySnapshot) -> dict[str, object] | type[HoldfastError]:
    try:
        return kind_of(snapshot).assign(snapshot, None, ())
    except HoldfastError as refusal:
        return type(refusal)


def _renamed(value: object, names: Mapping[str, str]) -> object:
    """Without sentences. A task's ID may begin with a name, that of its subtopology."""
    if isinstance(value, list | tuple):
        return [_renamed(one, names) for one in value]
    if isinstance(value, dict):
        return {_name(key, names): _renamed(one, names) for key, one in value.items() if key not in _SENTENCES}
    return _name(value, names) if isinstance(value, str) else value


def _name(text: str, names: Mapping[str, str]) -> str:
    subtopology, between, number = text.rpartition("_")
    return names[text] if text in names else f"{names.get(subtopology, subtopology)}{between}{number}"


def _left_out(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    was, found = (cast("dict[str, object]", one.get("config", {})) for one in (before, after))
    return tuple(key for key, value in was.items() if found.get(key, REPLACED) == REPLACED != value)


def _count(document: Mapping[str, object]) -> int:
    generations = document.get("generations")
    return len(generations) if isinstance(generations, list) else 0
