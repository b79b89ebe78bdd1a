"""Names by number, in the order of those that they stand for."""

from collections.abc import Iterable, Mapping

from holdfast.kafka import java


def numbered(what: str, found: Iterable[str], seed: int = 0) -> Mapping[str, str]:
    """`host-01` and so on, in Java's order of the names. `seed`: other names of the same kind."""
    ordered = sorted(set(found), key=java.string_order)
    width = max(2, len(str(len(ordered))))
    between = f"{seed}-" if seed else ""
    return {name: f"{what}-{between}{number:0{width}}" for number, name in enumerate(ordered, 1)}
