"""A process that applies plans on command, so that two of them can do it at once: `python -m tests.harness.two_applies`.

A line on standard input: a folder, the name of the state directory in it, and how many microseconds to wait. A line comes back:
what the journal was at the end, or why nothing was done. The lake is in the folder; or, by its name, below the URL in `LAKES`.
"""

import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

from tests.harness.article import AFTER, C, group
from tests.harness.plans import NOON, read, without_client

from holdfast.adapters import this_process
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import HoldfastError
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import Approval, JournalEntry
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import apply as workflow
from holdfast.workflows import plan as plans

GONE = read(without_client(group(AFTER), C) | {"captured_at": "2026-11-20T12:01:00Z"})


def lake_of(folder: Path) -> str:
    return f"{os.environ['LAKES']}/{folder.name}" if "LAKES" in os.environ else str(folder / "lake")


def apply(plan: Plan, folder: Path, state_dir: str) -> list[object]:
    """The entries of the journal, as this process has it at the end."""
    hands = workflow.Hands(
        FsspecLake(lake_of(folder)),
        LocalProcessMetadataFiles(),
        {ProcessId.parse(C): str(folder / state_dir)},
        lambda: NOON + timedelta(minutes=1),
        me=this_process.owner(),
        has_ended=this_process.has_ended,
    )
    approval = Approval(plan.plan_id, True, "ann", "seen", "2026-11-20T12:00:30Z")
    applied = workflow.apply(plan, GONE, approval, (), hands)
    return [codec_of(JournalEntry).write(entry) for entry in applied.journal.entries]


def main() -> None:
    folder = Path(sys.argv[1])
    (plan_id,) = plans.ids(FsspecLake(str(folder)))
    plan = plans.load(FsspecLake(str(folder)), plan_id)
    assert isinstance(plan, Plan)
    print("ready", flush=True)
    for line in sys.stdin:
        place, state_dir, wait = line.rstrip("\n").split("\t")
        time.sleep(int(wait) / 1e6)
        try:
            answer: dict[str, object] = {"entries": apply(plan, Path(place), state_dir)}
        except HoldfastError as refusal:
            answer = {"refused": str(refusal)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
