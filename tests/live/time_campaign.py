"""Durations of real rollouts, from the first action on: `tests/unit/rollout/timing/test_recorded_times.py` tests the model with
them.

    python -m tests.live.time_campaign OUT.jsonl [--session-ms 10000] [--release 3.9.1] [--broker 4.3.1] [--scenes dynamic]

One line a change: the snapshot before it, the change, when each rebalance was complete, who led it and what it asked for, and when
every client was RUNNING again. A client is stopped and its JVM started as an operator does it: nothing is loaded beforehand.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.harness.kafka.broker import RELEASE, Broker
from tests.harness.kafka.streams_app import StreamsClient
from tests.live import forgetful, observe
from tests.live.experiment import Experiment, Run

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.snapshot import replay
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Generation

CLIENTS = ("4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0")
FRESH = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
"""The process ID of a replacement; it sorts last."""
WATCHED_S = 15
"""How long a group is watched after changes of which no rebalance comes."""
Event = dict[str, Any]


class Timed:
    """A group whose changes are timed. Each act returns when the step is done, as the one who rolls sees it."""

    def __init__(self, run: Run, out: Path) -> None:
        self._run, self._out = run, out

    def change(
        self,
        name: str,
        events: Sequence[Event],
        acts: Sequence[Callable[[], None]],
        *,
        unseen: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`acts`: one for each batch; the group is stable after each before the next. `unseen`: no rebalance comes of them.
        `settings`: what clients are started with from now on."""
        before = self._run.snapshot()
        if settings:
            object.__setattr__(self._run.application, "settings", dict(self._run.application.settings) | dict(settings))
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
        if unseen:
            time.sleep(WATCHED_S)
        found = [one for one in self._run.generations() if one.number > since]
        rebalances = [round(datetime.fromisoformat(one.completed_at).timestamp() - began, 1) for one in found]
        record = {
            "name": name,
            "snapshot": snapshot_to_json(before),
            "change": {"format_version": "1.0", "events": list(events)},
            "rebalances_s": rebalances,
            "settled_s": round(settled_s, 1),
            "leaders": [_leader(one) for one in found],
            "clients": [sorted({str(observe.process_id(member)) for member in one.members}) for one in found],
            "asked": [sorted({member.next_rebalance.name for member in replay.leaders_decision(one).members}) for one in found],
        }
        with self._out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(self._run.experiment.application_id, name, rebalances, f"settled {settled_s:.0f} s", flush=True)

    def restart(self, *process_ids: str) -> Callable[[], None]:
        """All of them are stopped at once, then all are started."""

        def act() -> None:
            old = {one: self._run.clients.pop(one) for one in process_ids}
            with ThreadPoolExecutor(len(old)) as pool:
                list(pool.map(StreamsClient.stop, old.values()))
            for process_id, client in old.items():
                self._go(process_id, self._run.loaded(process_id, client))

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


def drawn(seed: int, clients: int) -> tuple[tuple[str, ...], str]:
    """Other process IDs than the recorded ones: those of the clients, in no order, and one that sorts behind all of them."""
    generator = random.Random(seed)
    ids = [UUID(int=generator.getrandbits(128), version=4) for _ in range(clients + 1)]
    last = max(ids, key=ProcessId.of)
    return tuple(str(one) for one in ids if one != last), str(last)


def perform(run: Run, out: Path) -> None:
    timed = Timed(run, out)
    (first, second, third), fresh = run.experiment.first[:3], run.experiment.last
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
        [timed.restart(one) for one in (first, second, third)],
    )
    by = {"process_id": third, "threads": run.experiment.threads}
    timed.change(
        "replacement, process ID kept",
        [{"replace_client": {"process_id": third, "by": by, "state": "empty"}}],
        [timed.replace(third, third)],
    )
    by = {"process_id": fresh, "threads": run.experiment.threads}
    timed.change(
        "replacement, sorts last",
        [{"replace_client": {"process_id": third, "by": by, "state": "empty"}}],
        [timed.replace(third, fresh)],
    )
    timed.change("scale-in, just stopped", [{"remove_client": {"process_id": first, "leaves": False}}], [timed.end(first)])
    timed.change("scale-out", [{"add_client": {"process_id": third, "threads": run.experiment.threads}}], [timed.add(third)])


def roll(timed: Timed, run: Run, name: str, settings: Mapping[str, int], at_once: int = 1) -> None:
    """A rolling restart that carries settings, in the order in which `shorthands` writes it out."""
    there = [str(one) for one in sorted(ProcessId.of(UUID(one)) for one in run.clients)]
    batches = [there[at : at + at_once] for at in range(0, len(there), at_once)]
    event = {"rolling_restart": {"process_ids": there, "at_once": at_once, "set_config": dict(settings)}}
    said = {key: str(value) for key, value in settings.items()}
    timed.change(name, [event], [timed.restart(*batch) for batch in batches], settings=said)


def perform_settings(run: Run, out: Path) -> None:
    """Rolling restarts that carry settings, and such that are merged because no client waits."""
    timed = Timed(run, out)
    run.start()
    roll(timed, run, "settings roll-out: a standby each", {"num.standby.replicas": 1})
    roll(timed, run, "settings roll-out: one warm-up", {"max.warmup.replicas": 1})
    roll(timed, run, "settings roll-out: no standby", {"num.standby.replicas": 0})
    roll(timed, run, "settings roll-out: two at once", {"num.standby.replicas": 1}, at_once=2)
    roll(timed, run, "settings roll-out: acceptable lag", {"acceptable.recovery.lag": 10000})
    merged(timed, run)


def merged(timed: Timed, run: Run) -> None:
    """Restarts one after the other, each begun as soon as the one before has been started: within one session."""
    there = [str(one) for one in sorted(ProcessId.of(UUID(one)) for one in run.clients)]
    events: list[Event] = []
    for process_id in there:
        events += [{"then": "stable"}] if events else []
        events += [{"restart_client": {"process_id": process_id}}]

    def act() -> None:
        for process_id in there:
            timed.restart(process_id)()
            time.sleep(1)

    timed.change("restarts that nobody waits for", events, [act])


def perform_static(run: Run, out: Path) -> None:
    timed = Timed(run, out)
    run.start()
    clients = run.experiment.first[:3]
    events: list[Event] = []
    for process_id in clients:
        events += [{"then": "stable"}] if events else []
        events += [{"restart_client": {"process_id": process_id, "within_session": True}}]
    timed.change("static members return one after the other", events, [timed.restart(one) for one in clients], unseen=True)
    first = clients[0]
    timed.change("static client just stopped", [{"remove_client": {"process_id": first, "leaves": False}}], [timed.end(first)])


def perform_static_settings(run: Run, out: Path) -> None:
    """Static members that return in time, with and without other settings."""
    timed = Timed(run, out)
    run.start()
    there = [str(one) for one in sorted(ProcessId.of(UUID(one)) for one in run.clients)]
    for name, more in (("static roll", {}), ("static settings roll-out", {"num.standby.replicas": 1})):
        event = {"process_ids": there, "within_session": True} | ({"set_config": more} if more else {})
        said = {key: str(value) for key, value in more.items()}
        timed.change(name, [{"rolling_restart": event}], [timed.restart(one) for one in there], unseen=True, settings=said)
    for process_id in there:
        event = {"process_id": process_id, "within_session": True}
        timed.change("static restart", [{"restart_client": event}], [timed.restart(process_id)], unseen=True)


def perform_static_endpoints(run: Run, out: Path) -> None:
    """Static members that return in time, under another application.server than before."""
    object.__setattr__(run.application, "settings", dict(run.application.settings) | {"application.server": "127.0.0.1:1001"})
    timed = Timed(run, out)
    run.start()
    there = [str(one) for one in sorted(ProcessId.of(UUID(one)) for one in run.clients)]
    for number, process_id in enumerate(there):
        event = {"process_id": process_id, "within_session": True}
        settings = {"application.server": f"127.0.0.1:{1001 + number}"}
        name = "static restart, another endpoint" if number else "static restart, same endpoint"
        timed.change(name, [{"restart_client": event}], [timed.restart(process_id)], unseen=True, settings=settings)


def perform_in_memory(run: Run, out: Path) -> None:
    assert isinstance(run, forgetful.ForgetfulRun)
    forgetful.perform(Timed(run, out), run)


SCENES: Mapping[str, Callable[[Run, Path], None]] = {
    "dynamic": perform,
    "settings": perform_settings,
    "static": perform_static,
    "static-settings": perform_static_settings,
    "static-endpoints": perform_static_endpoints,
    "in-memory": perform_in_memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--session-ms", type=int, default=10_000)
    parser.add_argument("--release", default="3.9.1")
    parser.add_argument("--broker", default=RELEASE)
    parser.add_argument("--scenes", default="dynamic", choices=sorted(SCENES))
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warmups", type=int, default=6)
    parser.add_argument("--ids", type=int, help="a seed: process IDs drawn from it instead of the recorded ones")
    parser.add_argument("--kept", type=Path, help="where logs are kept; else nowhere")
    given = parser.parse_args()
    delay = {"group.initial.rebalance.delay.ms": "3000"}
    in_memory = given.scenes == "in-memory"
    others = {"session.timeout.ms": str(given.session_ms)} | (forgetful.IN_MEMORY if in_memory else {})
    clients = (*CLIENTS, *(str(UUID(int=number * 0x1234567 << 96)) for number in range(1, 1 + given.clients - len(CLIENTS))))
    fresh = FRESH
    if given.ids is not None:
        clients, fresh = drawn(given.ids, given.clients)
    with (
        tempfile.TemporaryDirectory() as passing,
        Broker((given.kept or Path(passing)) / "broker", properties=delay, release=given.broker) as broker,
    ):
        experiment = Experiment(
            given.release,
            clients,
            last=fresh,
            application_id=f"timed-{given.release}",
            static="static" in given.scenes,
            partitions=given.partitions,
            threads=given.threads,
            max_warmup_replicas=given.warmups,
            others=others,
        )
        kind = forgetful.ForgetfulRun if in_memory else Run
        run = kind(experiment, broker.bootstrap, (given.kept or Path(passing)) / "group")
        try:
            SCENES[given.scenes](run, given.out)
        finally:
            run.stop()


def _leader(generation: Generation) -> str | None:
    return next((str(observe.process_id(one)) for one in generation.members if one.member_id == generation.leader_member_id), None)


if __name__ == "__main__":
    main()
