"""What the benchmarks have in common: which shapes, and how results are reported."""

import argparse
import json
import resource
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def arguments(description: str | None, shapes: Iterable[str]) -> argparse.ArgumentParser:
    """`shapes`: the names one may choose from; the selected ones are in `.shapes`, none for all."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", choices=[*shapes, []])
    parser.add_argument("--release", default="3.9.1")
    parser.add_argument("--json", action="store_true")
    return parser


def tell(found: Sequence[dict[str, Any]], table: Table, given: argparse.Namespace, *, what: str, width: int = 132) -> int:
    """Print the table, or all for machines. Returns the exit status: 1 if an answer differed from Kafka's."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if given.json:
        sys.stdout.write(json.dumps({"release": given.release, "peak_mib": peak, "shapes": found}) + "\n")
    else:
        Console(width=width).print(table, f"{what} {given.release}; our process took at most {peak:,} MiB.")
    return 0 if all(one["equal"] for one in found) else 1


def decisions(found: Sequence[dict[str, Any]]) -> Table:
    """Single decisions, fresh or after another, a row each."""
    table = Table("shape", "members", *("Kafka, ms", "Holdfast, ms", "times as fast", "goal", "equal"), box=None)
    for one in found:
        table.add_row(
            one["what"],
            one["state"],
            f"{one['kafka_ms']:,.2f} ({one['kafka_runs']})",
            f"{one['holdfast_ms']:,.2f}",
            f"{one['ratio']:,.1f}",
            f"{one['goal']:g}",
            yes_or_no(one["equal"]),
        )
    return table


def yes_or_no(equal: bool) -> str:
    """A difference is not to be overlooked."""
    return "yes" if equal else "NO"
