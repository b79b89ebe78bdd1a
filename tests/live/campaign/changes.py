"""The changes and faults that a group goes through: how each is given to Holdfast, and how it is done.

Each is drawn from what is there: `draw` returns one that is possible now.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psutil
from tests.harness.kafka.streams_app import StreamsClient
from tests.live.campaign.drawing import SESSION_MS, at_least, new_id
from tests.live.campaign.group import DrawnRun

from holdfast.kafka.vocabulary import ProcessId

Event = dict[str, Any]
_STABLE: Event = {"then": "stable"}
_MOST_CLIENTS = 5
_PAUSE_S = 4
_UNDISTURBED_S = SESSION_MS / 1000 + 5
"""In which a rebalance would have come of a session that ended."""


@dataclass(frozen=True, slots=True)
class Planned:
    """`acts`: one a batch; the group is stable after each before the next. `unseen`: no rebalance comes of it. `settings`: those
    that clients have from now on."""

    name: str
    events: tuple[Event, ...]
    acts: tuple[Callable[[], None], ...]
    unseen: bool = False
    settings: Mapping[str, int] = field(default_factory=dict)


def draw(run: DrawnRun, generator: Random) -> Planned:
    while True:
        make = generator.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        found = make(run, generator)
        if found is not None:
            return found


def undisturbed_s() -> float:
    return _UNDISTURBED_S


def _add(run: DrawnRun, generator: Random) -> Planned | None:
    if len(run.clients) >= _MOST_CLIENTS:
        return None
    fresh = new_id(generator)
    event: Event = {"add_client": {"process_id": fresh, "threads": run.experiment.threads}}
    return Planned("add a client", (event,), (lambda: _go(run, fresh, run.loaded(fresh)),))


def _come_back(run: DrawnRun, generator: Random) -> Planned | None:
    """A client that ended some time ago, with its disk."""
    if not run.gone or len(run.clients) >= _MOST_CLIENTS:
        return None
    process_id = generator.choice(sorted(run.gone))

    def act() -> None:
        _go(run, process_id, run.loaded(process_id, run.gone.pop(process_id)))

    event: Event = {"add_client": {"process_id": process_id, "threads": run.gone[process_id].threads}}
    return Planned("a client comes back with its disk", (event,), (act,))


def _remove(run: DrawnRun, generator: Random) -> Planned | None:
    return _end(run, generator, "remove a client", StreamsClient.stop)


def _kill(run: DrawnRun, generator: Random) -> Planned | None:
    return _end(run, generator, "kill -9 a client", StreamsClient.kill)


def _end(run: DrawnRun, generator: Random, name: str, how: Callable[[StreamsClient], None]) -> Planned | None:
    if len(run.clients) < 2:
        return None
    process_id = generator.choice(sorted(run.clients))

    def act() -> None:
        client = run.clients.pop(process_id)
        run.gone[process_id] = client
        how(client)

    event: Event = {"remove_client": {"process_id": process_id, "leaves": False}}
    return Planned(name, (event,), (act,))


def _replace_empty(run: DrawnRun, generator: Random) -> Planned | None:
    old = generator.choice(sorted(run.clients))
    new = old if generator.random() < 0.4 else new_id(generator)
    name = "replace a client, empty disk, " + ("process ID kept" if new == old else "new process ID")
    return _replaced(run, name, old, new, keeps_disk=False)


def _replace_kept(run: DrawnRun, generator: Random) -> Planned | None:
    """Its disk goes to a client with a process ID of its own."""
    old = generator.choice(sorted(run.clients))
    return _replaced(run, "replace a client, disk kept, new process ID", old, new_id(generator), keeps_disk=True)


def _replaced(run: DrawnRun, name: str, old: str, new: str, *, keeps_disk: bool) -> Planned | None:
    if run.case.static:
        return None  # a static member that is replaced under another instance ID is an added and a removed one
    there = run.clients[old]

    def act() -> None:
        newcomer = run.loaded(new, there if keeps_disk else None)
        newcomer.wait_loaded()
        run.clients.pop(old).stop()
        _go(run, new, newcomer)

    threads = there.threads if keeps_disk else run.experiment.threads
    by = {"process_id": new, "threads": threads}
    event: Event = {"replace_client": {"process_id": old, "by": by, "state": "kept" if keeps_disk else "empty"}}
    return Planned(name, (event,), (act,))


def _restart(run: DrawnRun, generator: Random) -> Planned | None:
    process_id = generator.choice(sorted(run.clients))
    event: Event = {"restart_client": {"process_id": process_id} | _in_time(run)}
    return Planned("restart a client", (event,), (lambda: restart(run, process_id),), unseen=run.case.static)


def _rolling(run: DrawnRun, generator: Random) -> Planned | None:
    there = in_order(run)
    event: Event = {"rolling_restart": {"process_ids": there} | _in_time(run)}
    acts = tuple(_restarting(run, (one,)) for one in there)
    return Planned("rolling restart", (event,), acts, unseen=run.case.static)


def _roll_settings(run: DrawnRun, generator: Random) -> Planned | None:
    if run.case.static:
        return None
    key, values = generator.choice(
        (("num.standby.replicas", (0, 1, 2)), ("max.warmup.replicas", (1, 2, 6)), ("acceptable.recovery.lag", (0, 10_000)))
    )
    value = generator.choice([one for one in values if str(one) != run.application.settings[key]])
    there, at_once = in_order(run), generator.choice((1, 1, 2))
    batches = [there[at : at + at_once] for at in range(0, len(there), at_once)]
    event: Event = {"rolling_restart": {"process_ids": there, "at_once": at_once, "set_config": {key: value}}}
    name = f"roll out {key}" + (", two at once" if at_once == 2 else "")
    return Planned(name, (event,), tuple(_restarting(run, one) for one in batches), settings={key: value})


def _more_threads(run: DrawnRun, generator: Random) -> Planned | None:
    """`KafkaStreams#addStreamThread`, once a client: its program waits for one such request."""
    fitting = [one for one, client in sorted(run.clients.items()) if client.threads == run.experiment.threads]
    if not at_least(run.case.release, "2.8.0") or not fitting:
        return None
    client = run.clients[process_id := generator.choice(fitting)]
    event: Event = {"set_threads": {"process_id": process_id, "threads": client.threads + 1}}
    return Planned("add a thread", (event,), (lambda: client.add_threads(1),))


def _restart_broker(run: DrawnRun, generator: Random) -> Planned | None:
    """Killed, and started on its disk: what members say to it waits meanwhile."""

    def act() -> None:
        run.broker.crash()
        run.broker.start_again()

    return Planned("kill -9 the broker and start it again", (), (act,), unseen=True)


def _pause(run: DrawnRun, generator: Random) -> Planned | None:
    """Shorter than its session."""
    process_id = generator.choice(sorted(run.clients))

    def act() -> None:
        client = run.clients[process_id]
        stopped = psutil.Process(client.pid).children(recursive=True)
        for one in stopped:
            one.suspend()
        time.sleep(_PAUSE_S)
        for one in stopped:
            one.resume()

    return Planned(f"stop a client's process for {_PAUSE_S} s", (), (act,), unseen=True)


_WEIGHTS: Mapping[Callable[[DrawnRun, Random], Planned | None], int] = {
    _add: 4,
    _come_back: 6,
    _remove: 2,
    _kill: 3,
    _replace_empty: 4,
    _replace_kept: 2,
    _restart: 2,
    _rolling: 2,
    _roll_settings: 3,
    _more_threads: 2,
    _restart_broker: 1,
    _pause: 1,
}


def in_order(run: DrawnRun) -> list[str]:
    return [str(one) for one in sorted(ProcessId.of(UUID(one)) for one in run.clients)]


def restart(run: DrawnRun, *process_ids: str) -> None:
    """All of them are stopped at once, then all go on, on their disks: their JVMs are up by then."""
    old = {one: run.clients.pop(one) for one in process_ids}
    again = {one: run.loaded(one, client) for one, client in old.items()}
    for client in again.values():
        client.wait_loaded()
    with ThreadPoolExecutor(len(old)) as pool:
        list(pool.map(StreamsClient.stop, old.values()))
    for process_id, client in again.items():
        _go(run, process_id, client)


def _restarting(run: DrawnRun, process_ids: Sequence[str]) -> Callable[[], None]:
    return lambda: restart(run, *process_ids)


def _in_time(run: DrawnRun) -> dict[str, bool]:
    return {"within_session": True} if run.case.static else {}


def _go(run: DrawnRun, process_id: str, client: StreamsClient) -> None:
    client.go()
    run.clients[process_id] = client
