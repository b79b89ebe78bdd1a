"""Names by number, in the order of those that they stand for."""

from collections.abc import Iterable, Mapping

from holdfast.kafka import java
from holdfast.rollout.redaction import same_hash


def numbered(what: str, found: Iterable[str], seed: int = 0) -> Mapping[str, str]:
    """`host-01` and so on, in Java's order of the names. `seed`: other names of the same kind."""
    ordered = sorted(set(found), key=java.string_order)
    width = max(2, len(str(len(ordered))))
    between = f"{seed}-" if seed else ""
    return {name: f"{what}-{between}{number:0{width}}" for number, name in enumerate(ordered, 1)}


def with_hash_codes(what: str, found: Iterable[str]) -> Mapping[str, str]:
    """The same, each with the hash code of its name (`String.hashCode`).

    For random names only, such as the IDs of members and processes: who has a name in mind can check it against its hash code.
    """
    return {name: same_hash.ended(text, java.string_hash(name)) for name, text in numbered(what, found).items()}
