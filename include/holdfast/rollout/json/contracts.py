"""The contract of a document, recognised by its fields: for error messages only, never for reading."""

from collections.abc import Collection

from holdfast.errors import InvalidInput

_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Plan for a consumer group", ("plan_id", "steps", "candidates", "protocol")),
    ("Plan", ("plan_id", "steps", "candidates")),
    ("Verdict", ("plan_id", "result", "score")),
    ("Approval", ("plan_id", "approved")),
    ("Journal", ("plan_id", "entries")),
    ("Forecast", ("assumptions", "outcomes")),
    ("Snapshot", ("group_id", "protocol")),
    ("Assignment", ("probing_rebalance_needed", "consumers")),
    ("Guard", ("order", "reshuffle", "findings")),
    ("case of a snapshot and a change", ("snapshot", "change")),
    ("Change", ("events",)),
    ("Policy", ("restore_records_per_second",)),
)
"""The first whose fields are all there is what it is: a Forecast has `events` too."""


def kind_of(document: object) -> str | None:
    """None: nothing that Holdfast writes."""
    if not isinstance(document, dict):
        return None
    return next((kind for kind, signs in _SIGNS if all(sign in document for sign in signs)), None)


def is_no_other(fields: Collection[str], contract: str) -> bool:
    """Whether no document with some of these fields and no others could be of another contract."""
    return all(kind == contract or not set(signs).issubset(fields) for kind, signs in _SIGNS)


def refuse_another(document: object, needed: str) -> None:
    """Raise InvalidInput for a document that is whole and of another contract, rather than list the fields that it has not."""
    found = kind_of(document)
    if found is not None and found != needed:
        raise InvalidInput(f"this is {_one(found)}; {_one(needed)} is needed")


def _one(contract: str) -> str:
    return f"an {contract}" if contract[0] in "AEIOU" else f"a {contract}"
