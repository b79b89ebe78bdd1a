"""The order of process IDs, the chances of a random one, and which events take effect together: once more, for the twin."""

from collections.abc import Iterable

from tests.conformance.streams.groups import Case


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


def batches(change: Case) -> list[tuple[list[Case], str]]:
    """Events that take effect together, and what the next ones wait for."""
    found: list[tuple[list[Case], str]] = []
    events: list[Case] = []
    for item in change["events"]:
        if "then" not in item:
            events.append(item)
        elif events:
            found.append((events, item["then"]))
            events = []
        elif found:
            found[-1] = (found[-1][0], item["then"])
    if events or not found:
        found.append((events, "stable"))
    found[-1] = (found[-1][0], "stable")
    return found
