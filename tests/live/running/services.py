"""The clients of a live group as services of their machines, which commands over SSH stop and start. Their processes still end with
the test, and, like those of a service manager, not with the connection that asked for it."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from tests.live.running.machines import Machine
from tests.live.running.other_kinds import Client

SCRIPT = Path(__file__).with_name("services.sh")
LIMIT_S = 60


class Service:
    """One client of a machine. `client`: its process; None: it does not run. `waiting`: one that is loaded, and not yet let go."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.client: Client | None = None
        self.waiting: Client | None = None
        self.starts = 0


class Services:
    """One service a machine. `load`: the next process of a machine. `done`: what was done, in order, by address."""

    def __init__(self, machines: Sequence[Machine], folder: Path, load: Callable[[Machine], Client]) -> None:
        self.folder = folder
        self.done: list[tuple[str, str]] = []
        self.began: list[float] = []
        """When each of them began, in seconds of the epoch."""
        self.busy = False
        self.failed: BaseException | None = None
        self.of = {machine.address: Service(machine) for machine in machines}
        self._load = load
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="services")
        folder.mkdir()
        for address in self.of:
            self._says(address)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def runs(self, address: str, client: Client) -> None:
        """The first process of a machine is there."""
        self.of[address].client = client
        self.of[address].starts += 1
        self._says(address)

    def make_ready(self, address: str) -> None:
        """Load the next process of a machine whose service does not run, so that its start takes no time."""
        service = self.of[address]
        service.waiting = self._load(service.machine)
        service.waiting.wait_loaded()

    def start(self, address: str) -> None:
        """By another hand than a run's: it does not count as done."""
        service = self.of[address]
        assert service.waiting is not None, "make_ready comes first"
        service.waiting.go()
        service.client, service.waiting = service.waiting, None
        service.starts += 1
        self._says(address)

    def stop(self, address: str) -> None:
        """By another hand than a run's."""
        service = self.of[address]
        assert service.client is not None, "it runs"
        service.client.stop()
        service.client = None
        self._says(address)

    def forget(self) -> None:
        """What was done so far."""
        self.done.clear()
        self.began.clear()

    def _serve(self) -> None:
        while not self._over.wait(0.02):
            for request in sorted(self.folder.glob("*.request")):
                address, verb = request.name.rsplit(".", 2)[0], request.read_text().strip()
                try:
                    self._do(self.of[address], verb)
                except BaseException as failed:
                    self.failed = failed
                    raise
                request.unlink()

    def _do(self, service: Service, verb: str) -> None:
        """As a service manager does it: a restart has the next process ready before it ends the old one; a start of what runs does
        nothing."""
        address = service.machine.address
        if (verb, service.client is None) in (("start", False), ("stop", True)):
            return
        self.busy, began = True, time.time()
        self._says(address, "changing")
        if verb != "stop" and service.waiting is None:
            self.make_ready(address)
        if service.client is not None:
            service.client.stop()
            service.client = None
        if verb != "stop":
            assert service.waiting is not None
            service.waiting.go()
            service.client, service.waiting = service.waiting, None
            service.starts += 1
        self.done.append((verb, address))
        self.began.append(began)
        self.busy = False
        self._says(address)

    def _says(self, address: str, text: str | None = None) -> None:
        service = self.of[address]
        if text is None:
            text = "stopped" if service.client is None else f"running start-{service.starts}"
        new = self.folder / f"{address}.new"
        new.write_text(f"{text}\n")
        new.rename(self.folder / f"{address}.status")
