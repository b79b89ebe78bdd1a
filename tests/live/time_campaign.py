"""How long real rollouts take, from the first act on: what `tests/unit/rollout/test_recorded_times.py` holds the time model to.

    python -m tests.live.time_campaign OUT.jsonl [--session-ms 10000] [--release 3.9.1] [--static]

One line a change: the snapshot before it, the change, when each rebalance was complete, and when every client was RUNNING again.
A client is stopped and its JVM started as an operator does it: nothing is loaded beforehand.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.harness.broker import Broker
from tests.harness.streams_app import StreamsClient
from tests.live.experiment import Experiment, Run

from holdfast.rollout import codec

CLIENTS = ("4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0")
FRESH = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
Event = dict[str, Any]


class Timed:
    """A group whose changes are timed. Each act returns when the step is done, as the one who rolls sees it."""

    def __init__(self, run: Run, out: Path) -> None:
        self._run, self._out = run, out

    def change(self, name: str, events: Sequence[Event], acts: Sequence[Callable[[], None]], *, unseen: bool = False) -> None:
        """`acts`: one for each batch; the group is stable after each before the next. `unseen`: no rebalance comes of them."""
        before = self._run.snapshot()
        since = self._run.generations()[-1].number
        began, clock = time.time(), time.monotonic()
        for act in acts:
            last = self._run.generations()[-1].number
            act()
            if unseen:
                for client in self._run.clients.values():
                    client.wait_running()
            else:
                self._run._settled(last)
        settled_s = time.monotonic() - clock
        found = [one for one in self._run.generations() if one.number > since]
        rebalances = [round(datetime.fromisoformat(one.completed_at).timestamp() - began, 1) for one in found]
        record = {
            "name": name,
            "snapshot": codec.snapshot_to_json(before),
            "change": {"format_version": "1.0", "events": list(events)},
            "rebalances_s": rebalances,
            "settled_s": round(settled_s, 1),
        }
        with self._out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(name, rebalances, f"settled {settled_s:.0f} s", flush=True)

    def restart(self, process_id: str) -> Callable[[], None]:
        def act() -> None:
            old = self._run.clients.pop(process_id)
            old.stop()
            self._go(process_id, self._run.loaded(process_id, old))

        return act

    def replace(self, old: str, new: str) -> Callable[[], None]:
        def act() -> None:
            self._run.clients.pop(old).stop()
            self._go(new, self._run.loaded(new))

        return act

    def add(self, process_id: str) -> Callable[[], None]:
        return lambda: self._go(process_id, self._run.loaded(process_id))

    def end(self, process_id: str) -> Callable[[], None]:
        return lambda: self._run.clients.pop(process_id).stop()

    def _go(self, process_id: str, client: StreamsClient) -> None:
        client.go()
        self._run.clients[process_id] = client


def perform(run: Run, out: Path) -> None:
    timed = Timed(run, out)
    first, second, third = CLIENTS
    run.start()
    stable: Event = {"then": "stable"}
    timed.change(
        "rolling restart of three",
        [
            {"restart_client": {"process_id": first}},
            stable,
            {"restart_client": {"process_id": second}},
            stable,
            {"restart_client": {"process_id": third}},
        ],
        [timed.restart(one) for one in CLIENTS],
    )
    by = {"process_id": third, "threads": run.experiment.threads}
    timed.change(
        "replacement, process ID kept",
        [{"replace_client": {"process_id": third, "by": by, "state": "empty"}}],
        [timed.replace(third, third)],
    )
    by = {"process_id": FRESH, "threads": run.experiment.threads}
    timed.change(
        "replacement, sorts last",
        [{"replace_client": {"process_id": third, "by": by, "state": "empty"}}],
        [timed.replace(third, FRESH)],
    )
    timed.change("scale-in, just stopped", [{"remove_client": {"process_id": first, "leaves": False}}], [timed.end(first)])
    timed.change("scale-out", [{"add_client": {"process_id": third, "threads": run.experiment.threads}}], [timed.add(third)])
    there = sorted(run.clients)
    standbys = {"num.standby.replicas": "1"}
    object.__setattr__(run.application, "settings", dict(run.application.settings) | standbys)
    timed.change(
        "settings roll-out: a standby each",
        [{"rolling_restart": {"process_ids": there, "set_config": {"num.standby.replicas": 1}}}],
        [timed.restart(one) for one in there],
    )


def perform_static(run: Run, out: Path) -> None:
    timed = Timed(run, out)
    run.start()
    events: list[Event] = []
    for process_id in CLIENTS:
        events += [{"then": "stable"}] if events else []
        events += [{"restart_client": {"process_id": process_id, "within_session": True}}]
    timed.change("static members return one after the other", events, [timed.restart(one) for one in CLIENTS], unseen=True)
    first = CLIENTS[0]
    timed.change("static client just stopped", [{"remove_client": {"process_id": first, "leaves": False}}], [timed.end(first)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--session-ms", type=int, default=10_000)
    parser.add_argument("--release", default="3.9.1")
    parser.add_argument("--static", action="store_true")
    given = parser.parse_args()
    delay, settings = {"group.initial.rebalance.delay.ms": "3000"}, {"session.timeout.ms": str(given.session_ms)}
    with tempfile.TemporaryDirectory() as folder, Broker(Path(folder) / "broker", properties=delay) as broker:
        name = f"timed-{given.release}"
        experiment = Experiment(given.release, CLIENTS, application_id=name, static=given.static, others=settings)
        run = Run(experiment, broker.bootstrap, Path(folder) / "group")
        try:
            (perform_static if given.static else perform)(run, given.out)
        finally:
            run.stop()


if __name__ == "__main__":
    main()
