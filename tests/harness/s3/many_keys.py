"""What is asked of a store with very many keys: `python -m tests.harness.s3.many_keys [--keys 100000]`, on S3Proxy.

The keys are put where the server keeps its objects, as files. For each question: requests, processor seconds of this process (the
server's are its own), and seconds in all, which with this server grow with the keys in a folder: it sorts them for every page.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.harness.s3 import servers
from tests.harness.s3.servers import BUCKET

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.workflows import snapshots
from holdfast.workflows.collecting import retention

DAYS = ("day=2026-11-20", "day=2026-11-21")
A_DAY = "snapshots/cluster=c/{day}"


def fill(root: Path, keys: int) -> None:
    """Half of them on each day, ten snapshots a group."""
    for day in DAYS:
        for group in range(keys // 20):
            folder = root / A_DAY.format(day=day) / f"group=g{group:06}"
            folder.mkdir(parents=True)
            for number in range(10):
                (folder / f"{number}-a.json").write_bytes(b"{}")


def measured(lake: FsspecLake, name: str, ask: Callable[[], object]) -> None:
    made: Counter[str] = Counter()
    call = lake._files.call_s3

    def counted(method: str, *rest: object, **options: object) -> Any:
        made[method] += 1
        return call(method, *rest, **options)

    lake._files.call_s3 = counted
    began, used = time.monotonic(), time.process_time()
    found = ask()
    spent, passed = time.process_time() - used, time.monotonic() - began
    print(f"{name}: {sum(made.values()):,} requests, {spent:.2f} processor s, {passed:.1f} s: {found}", flush=True)
    lake._files.call_s3 = call


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--keys", type=int, default=100_000)
    keys = arguments.parse_args().keys
    with tempfile.TemporaryDirectory() as folder, servers.s3proxy(Path(folder) / "s3") as server:
        lake = FsspecLake(server.address())
        lake.exists(("a",))
        fill(server.folder / "objects" / BUCKET / lake.url.rsplit("/", 1)[1], keys)
        one = f"g{keys // 40:06}"
        measured(lake, "newest snapshot of one group", lambda: snapshots.latest(lake, "c", one))
        measured(lake, "groups of a day", lambda: len(lake.names(("snapshots", "cluster=c", DAYS[1]))))
        measured(lake, "days of all clusters", lambda: snapshots.days(lake))
        measured(lake, "old day deleted", lambda: retention.forget(lake, "2026-11-21"))


if __name__ == "__main__":
    main()
