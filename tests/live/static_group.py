"""A group of static members on real clients: what returns in time causes no rebalance; what changed meanwhile shows at the next.

Its steps are those that the published experiment has not: static members that return, threads that are added to a running client, a
client that ends without leaving, clients that come back under one another's process IDs.
"""

import time
from pathlib import Path

from tests.live import observe
from tests.live.experiment import Experiment, Record, Run, Step

CLIENTS = ("4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0")
FRESH = "c1e2d3f4-0a1b-4c2d-8e3f-405162738495"
"""The process ID that the second client comes back with: between the third's and the first's, as Java orders them."""
SESSION_S = 60
"""Of each member: on a busy machine a client may take most of a minute to be back. Three waits of the experiment are this long:
that nothing comes of an old session, that a client which just ended is missed, and that both that swap are forgotten."""
_STEADY_S = 3
_FORGOTTEN_IN_S = 300


def name(release: str) -> str:
    return f"static {release}"


def experiment(release: str) -> Experiment:
    topic = f"static-plaintext-input-{release}"
    session = {"session.timeout.ms": str(1000 * SESSION_S)}
    return Experiment(release, CLIENTS, static=True, application_id=f"static-{release}", input_topic=topic, others=session)


def perform(experiment: Experiment, bootstrap: str, folder: Path) -> Record:
    """Leaves no process behind, whatever happens."""
    run = Run(experiment, bootstrap, folder)
    first, second, third = CLIENTS
    try:
        started = run.start()
        steps = [
            _returns(run, "returns as it was", first, first, _STEADY_S),
            _returns(run, "returns under a fresh ID", second, FRESH, SESSION_S + _STEADY_S),  # and both old sessions are over
            _more_threads(run, "gets a thread", first),
            _just_ends(run, "just ends", third),
            _change_ids(run, "come back under one another's IDs", first, FRESH),
        ]
    finally:
        run.stop()
    return Record(experiment, started, tuple(steps))


def _restart(process_id: str, comes_back_as: str, **others: object) -> dict[str, object]:
    new = {} if comes_back_as == process_id else {"keeps_process_id": False, "new_process_id": comes_back_as}
    return {"restart_client": {"process_id": process_id, **new, **others}}


def _returns(run: Run, what: str, process_id: str, comes_back_as: str, undisturbed_s: float) -> Step:
    """Within its session: the broker gives it the assignment that it has stored. Its JVM is up before the old one ends."""

    def change_hands() -> None:
        client = run.clients.pop(process_id)
        again = run.loaded(comes_back_as, client)
        again.wait_loaded()
        client.stop()
        again.go()
        run.clients[comes_back_as] = again

    event = _restart(process_id, comes_back_as, within_session=True)
    return run.observed(what, [event], change_hands, undisturbed_s=undisturbed_s)


def _more_threads(run: Run, what: str, process_id: str) -> Step:
    client = run.clients[process_id]
    event = {"set_threads": {"process_id": process_id, "threads": client.threads + 1}}
    return run.observed(what, [event], lambda: client.add_threads(1))


def _just_ends(run: Run, what: str, process_id: str) -> Step:
    return run.observed(
        what, [{"remove_client": {"process_id": process_id, "leaves": False}}], lambda: run.clients.pop(process_id).kill()
    )


def _change_ids(run: Run, what: str, one: str, other: str) -> Step:
    """Both are stopped until the group has forgotten them; each comes back on its own disk, under the other's process ID."""

    def change_hands() -> None:
        stopped = {process_id: run.clients.pop(process_id) for process_id in (one, other)}
        for client in stopped.values():
            client.stop()
        back = {new: run.loaded(new, stopped[old]) for old, new in ((one, other), (other, one))}
        _wait_until_forgotten(run)
        for client in back.values():
            client.go()
        run.clients.update(back)

    return run.observed(what, [_restart(one, other), _restart(other, one)], change_hands)


def _wait_until_forgotten(run: Run) -> None:
    deadline = time.monotonic() + _FORGOTTEN_IN_S
    while observe.state(run.application) != "Empty":
        assert time.monotonic() < deadline, "the group still has members"
        time.sleep(1)
