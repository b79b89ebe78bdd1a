"""Groups with a past, restarted again and again: do ranges that are learnt from it hold, and how wide are they?

    python -m tests.live.history.campaign OUT --minutes 10 [--session-ms 10000] [--only history-coordinated]

Two groups on one broker, one whose leader assigns and one whose broker does: rolling restarts of three clients, each JVM started
after the old one has ended, and a client that joins and leaves in between. OUT gets `changes.jsonl` (the snapshot before each
change, the change, when it began, and the seconds until it was over) and `past/`, what `__consumer_offsets` then holds.
`tests.live.history.measured` makes a plan of each change with what was recorded before it.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.harness.kafka.broker import RELEASE, Broker
from tests.live.experiment import Experiment, Run
from tests.live.streams_group import LiveGroup
from tests.live.time_campaign import CLIENTS, FRESH, Timed

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator

Event = dict[str, Any]
CLASSIC, COORDINATED = "history-classic", "history-coordinated"
OFTEN = 0.1
"""How often a client joins or leaves instead of a rolling restart."""
_AT_ONCE = threading.Lock()


class Changes:
    """What happened, a line a change."""

    def __init__(self, out: Path, ends_at: float) -> None:
        self._file, self._ends_at = out / "changes.jsonl", ends_at

    def go_on(self) -> bool:
        return time.monotonic() < self._ends_at

    def keep(self, group: str, name: str, before: Any, events: Sequence[Event], began: float, ended_s: float) -> None:
        change = {"format_version": "1.0", "events": list(events)}
        found = {"group": group, "name": name, "snapshot": before, "change": change, "began": began, "ended_s": round(ended_s, 2)}
        with _AT_ONCE, self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        print(group, name, f"{ended_s:.1f} s", flush=True)


def rolled(clients: Sequence[str], threads: int | None) -> list[Event]:
    """A restart of each, waiting until the group is stable."""
    more = {} if threads is None else {"threads": threads}
    events: list[Event] = []
    for one in clients:
        events += [{"then": "stable"}] if events else []
        events += [{"restart_client": {"process_id": one} | more}]
    return events


def classic(run: Run, changes: Changes) -> None:
    """Until the time is over; some of its restarts take long."""
    timed, generator = Timed(run, Path("/dev/null")), random.Random(1)
    run.start()
    while changes.go_on():
        here = list(run.clients)
        if generator.random() < OFTEN:
            threads = run.experiment.threads
            if FRESH in here:
                events, acts = [{"remove_client": {"process_id": FRESH, "leaves": False}}], [timed.end(FRESH)]
            else:
                events, acts = [{"add_client": {"process_id": FRESH, "threads": threads}}], [timed.add(FRESH)]
            name = next(iter(events[0]))
        else:
            some = generator.sample([one for one in here if one != FRESH], 3)
            events, acts, name = rolled(some, None), [timed.restart(one) for one in some], "roll"
        before = run.snapshot()
        began = time.time()
        for act in acts:
            last = run.generations()[-1].number
            act()
            run._settled(last)
        ended = datetime.fromisoformat(run.generations()[-1].completed_at).timestamp()
        changes.keep(CLASSIC, name, snapshot_to_json(before), events, began, ended - began)


def coordinated(group: LiveGroup, changes: Changes) -> None:
    generator = random.Random(2)
    group.create_topic(6)
    for name in "abc":
        group.add(name)
    before = group.settled(3)
    while changes.go_on():
        if generator.random() < OFTEN:
            name = "remove_client" if "d" in group.clients else "add_client"
            before = group.look()
            if name == "remove_client":
                events: list[Event] = [{name: {"process_id": group.process_of("d", before)}}]
                began = time.time()
                group.remove("d")
            else:
                events = [{name: {"threads": group.threads}}]
                began = time.time()
                group.add("d")
            group.settled(len(group.clients), before["group_epoch"])
        else:
            before, name = group.look(), "roll"
            some = generator.sample("abc", 3)
            events = rolled([group.process_of(one, before) for one in some], group.threads)
            began, epoch = time.time(), before["group_epoch"]
            for one in some:
                _restarted(group, one)
                epoch = group.settled(len(group.clients), epoch)["group_epoch"]
        changes.keep(COORDINATED, name, before, events, began, time.time() - began)


def _restarted(group: LiveGroup, name: str) -> None:
    """As an operator does it: the JVM is started after the old one has ended."""
    old = group.clients.pop(name)
    old.stop()
    group.clients[name] = group.load(name, old.disk)
    group.clients[name].go()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--release", default="3.9.1")
    parser.add_argument("--session-ms", type=int, default=10_000)
    parser.add_argument("--only", choices=(CLASSIC, COORDINATED), help="one of the two groups, which then has the machine alone")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    changes = Changes(given.out, time.monotonic() + 60 * given.minutes)
    with (
        tempfile.TemporaryDirectory() as passing,
        Broker(Path(passing) / "broker", properties={"group.initial.rebalance.delay.ms": "3000"}, release=RELEASE) as broker,
    ):
        folder = Path(passing)
        settings = {"session.timeout.ms": str(given.session_ms)}
        run = Run(
            Experiment(given.release, CLIENTS, last=FRESH, application_id=CLASSIC, input_topic="in-classic", others=settings),
            broker.bootstrap,
            folder / "classic",
        )
        group = LiveGroup(broker.bootstrap, broker.folder / "broker.log", folder / "coordinated", COORDINATED, "in-coordinated", 1)
        works: dict[str, Callable[[], None]] = {
            CLASSIC: lambda: classic(run, changes),
            COORDINATED: lambda: coordinated(group, changes),
        }
        threads = [threading.Thread(target=one) for name, one in works.items() if given.only in (None, name)]
        try:
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        finally:
            run.stop()
            group.stop()
        day = datetime.now(UTC).strftime("%Y-%m-%d")
        wiring.keep_past(
            ClusterConnection.of(broker.bootstrap),
            Wanted({"*": About(StatedByOperator(None, {}, {}))}),
            FsspecLake(str(given.out)),
            day,
            300,
        )


if __name__ == "__main__":
    main()
