"""The order of process IDs and how likely a random one falls where, worked out once more for the twin."""

from collections.abc import Iterable


def order(process: str) -> tuple[int, int]:
    """java.util.UUID.compareTo: two signed longs."""
    bits = int(process.replace("-", ""), 16)
    halves = bits >> 64, bits & (2**64 - 1)
    high, low = (half - 2**64 if half >= 2**63 else half for half in halves)
    return high, low


def chances(present: Iterable[str]) -> list[float]:
    """How likely a random UUID falls into each gap of the signed order, from the one before the smallest on."""
    edges = sorted((high + 2**63 << 64) + (low + 2**63) for high, low in map(order, present))
    widths = [b - a for a, b in zip([0, *edges], [*edges, 2**128], strict=True)]
    return [width / 2**128 for width in widths]
