"""A forecast of a redacted group in the names of the original, as its owner would translate it."""

import json
import re
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.kinds.sharing.redacted import Redacted, mapping_to_json, redacted

Document = dict[str, Any]


def forecast_of(snapshot: object, change: object) -> Document:
    """Or what it is refused with: the class of the error."""
    try:
        group = any_document.snapshot_from_json(snapshot)
        kind = kind_of(group)
        answer = kind.forecast(group, kind.change_for(change, group), 1)
        found: Document = json.loads(json.dumps(kind.forecast_to_json(answer, Detail.FULL)))
    except HoldfastError as refusal:
        return {"refused": type(refusal).__name__}
    return without_sentences(found)


def assigned(snapshot: Document) -> Document:
    """Or what it is refused with: the class of the error."""
    try:
        group = any_document.snapshot_from_json(snapshot)
        found: Document = json.loads(json.dumps(kind_of(group).assign(group, None, ())))
    except HoldfastError as refusal:
        return {"refused": type(refusal).__name__}
    return without_sentences(found)


def redacted_documents(snapshot: object, change: object, *, keeps_hash_codes: bool = True) -> Redacted:
    """Written, read and written again."""
    found = redacted(any_document.snapshot_from_json(snapshot), change, keeps_hash_codes=keeps_hash_codes)
    again = any_document.snapshot_from_json(json.loads(json.dumps(found.snapshot)))
    assert json.loads(json.dumps(any_document.snapshot_to_json(again))) == json.loads(json.dumps(found.snapshot))
    return found


def without_sentences(value: Any) -> Any:
    """Reasons are sentences: a redacted group has none."""
    if isinstance(value, list):
        return [without_sentences(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: without_sentences(one) for key, one in value.items() if key not in ("reason", "undetermined", "error", "unknown")}


def translated(value: Any, one: Redacted) -> Any:
    """Every text with the names that others stand for."""
    names: Any = mapping_to_json(one)["names"]
    if all(new == name for new, name in names.get("subtopology", {}).items()):
        names.pop("subtopology", None)  # numbers stand for themselves
    every = {new: name for role in names.values() for new, name in role.items()}
    assert len(every) == sum(map(len, names.values())), "each stands for one name"
    alternatives = "|".join(re.escape(new) for new in sorted(every, key=len, reverse=True))
    found = re.compile(rf"(?<![\w.])(?:{alternatives})(?=_[0-9]|[^\w.]|\Z)")

    def walk(one: Any) -> Any:
        if isinstance(one, list):
            return [walk(each) for each in one]
        if isinstance(one, dict):
            return {walk(key): walk(each) for key, each in one.items()}
        return found.sub(lambda match: every[match[0]], one) if isinstance(one, str) else one

    return walk(value)
