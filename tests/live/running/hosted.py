"""A real group whose clients are services of machines with an sshd each, plans for it, and runs of `holdfast apply --run`.

Its state directories are read, and written, over SSH; its clients are stopped and started over SSH.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kafka.admin import KafkaAdminClient
from tests.harness.kafka import properties_file
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.maven import kafka_streams
from tests.harness.kafka.streams_app import StreamsClient
from tests.live.experiment import Experiment, Run
from tests.live.running import other_kinds
from tests.live.running.machines import Machine
from tests.live.running.services import LIMIT_S, SCRIPT, Services

from holdfast.cli.commands import snapshot as snapshot_command
from holdfast.errors import CannotPredict, ClusterTrouble
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import ACTS, Policy
from holdfast.workflows import plan as planning

PROCESS_IDS = (
    "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
    "4b61083e-57d0-457d-951f-d06556c148ca",
    "7156cef1-307e-49c0-a5bb-0f11d26a4933",
    "1d9c0a77-52f3-4b8e-8a6c-3f0e7cbb2d11",
    "5f3b7c20-9e14-4c6d-b2a8-6d1f40c9ae35",
)
PROPERTIES = "application.properties"
"""What the next start of a client on a machine reads, on its disk."""
STRANGER = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
SHORT = {"session.timeout.ms": "6000", "heartbeat.interval.ms": "500"}
_ENDS_WITHIN_S = 300
Document = dict[str, Any]


class RunProcess:
    """A process that runs a plan."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._out, self._log = folder / "run.jsonl", folder / "run.log"
        with self._out.open("wb") as out, self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=log)

    def wait_for(self, event: str) -> None:
        """Until the run has printed such an event."""
        self.wait_until(lambda: f'"event":"{event}"' in self._out.read_text())

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """While the run goes on."""
        deadline = time.monotonic() + _ENDS_WITHIN_S
        while not happened():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> tuple[int, list[Document]]:
        """The exit status, and what was printed."""
        try:
            status = self._process.wait(_ENDS_WITHIN_S)
        finally:
            self.kill()
        return status, [json.loads(line) for line in self._out.read_text().splitlines()]

    def log(self) -> str:
        return f"{self._log.read_text()}\n{self._out.read_text()}"


class Clients(Run):
    """Each client on its machine."""

    reads_disks = True

    def __init__(self, experiment: Experiment, bootstrap: str, folder: Path, machines: Mapping[str, Machine]) -> None:
        super().__init__(experiment, bootstrap, folder)
        self._machines = machines

    def loaded(self, process_id: str, before: StreamsClient | None = None) -> StreamsClient:
        assert before is None, "services start again"
        return self.on(self._machines[process_id], process_id)

    @property
    def group_id(self) -> str:
        return self.application.application_id

    @property
    def bootstrap(self) -> str:
        return self.application.bootstrap

    def about(self, folder: Path) -> list[str]:
        """What `holdfast snapshot` is given about the application."""
        properties = folder / "application.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self.application.settings.items()), encoding="utf-8")
        return ["--kafka-release", self.application.release, "--app-config", str(properties)]

    def addresses(self) -> dict[str, dict[str, str]]:
        """Where each of them runs, as the file of commands says it."""
        return {process_id: {"host": machine.address} for process_id, machine in self._machines.items()}

    def on(self, machine: Machine, process_id: str | None = None) -> StreamsClient:
        """`process_id` None: what the disk has, or a random one."""
        folder = self.folder / f"client-{len(self._ever) + 1}-{machine.address}"
        file = machine.disk / PROPERTIES
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            properties_file.write(file, self.application.settings)
        client = StreamsClient(
            replace(self.application, settings=properties_file.read(file)),
            folder,
            threads=self.experiment.threads,
            process_id=process_id,
            disk=machine.disk,
            inside=machine.inside,
            own_disk=machine.own_disk,
        )
        self._ever.append(client)
        client.load()
        return client


AnyClients = Clients | other_kinds.Consumers | other_kinds.ByBroker


class Hosted:
    """The group, its machines and a folder to work in. `runs_on`: the addresses of the machines whose service runs."""

    def __init__(self, clients: AnyClients, machines: Sequence[Machine], services: Services, broker: Broker, folder: Path) -> None:
        self.clients, self.machines, self.services, self.broker, self.folder = clients, tuple(machines), services, broker, folder
        self.together = len({machine.sshd.folder for machine in machines}) == 1
        """The machines share an sshd, and the broker sees one address."""
        sshd = machines[0].sshd
        known = sshd.folder / "known_hosts" if self.together else folder / "machines" / "known_hosts"
        self.login = ("--ssh-user", sshd.user, "--ssh-key", str(sshd.client), "--ssh-known-hosts", str(known))
        self._ssh = {"user": sshd.user, "port": sshd.port, "key": str(sshd.client), "known_hosts": str(known)}

    @property
    def group_id(self) -> str:
        return self.clients.group_id

    @property
    def streams(self) -> Clients:
        """The clients of a Streams group whose leader assigns."""
        assert isinstance(self.clients, Clients)
        return self.clients

    def runs_on(self) -> tuple[str, ...]:
        return tuple(address for address, service in self.services.of.items() if service.client is not None)

    def state_dir(self, machine: Machine) -> str:
        path = quote(f"{machine.own_disk}/state/{self.group_id}")
        return f"ssh://{machine.address}:{machine.sshd.port}{path}"

    def snapshot(self) -> AnySnapshot:
        """With what the disks show."""
        given = ["--bootstrap-server", self.clients.bootstrap, "--group", self.group_id, *self.login]
        given += self.clients.about(self.folder)
        for address in self.runs_on() if self.clients.reads_disks else ():
            given += ["--state-dir", self.state_dir(self.services.of[address].machine)]
        output = self.folder / "seen.json"
        assert snapshot_command.command.main([*given, "--output", str(output)], standalone_mode=False) == 0
        return any_document.snapshot_from_json(loads(output.read_text(encoding="utf-8")))

    def state(self) -> str:
        """Of the group, by its name in Kafka; of one without members too."""
        admin = KafkaAdminClient(bootstrap_servers=self.clients.bootstrap)
        try:
            listed = {one["group_id"]: one["group_state"] for one in admin.list_groups()}
        finally:
            admin.close()
        return str(listed.get(self.group_id, "Dead"))

    def wait_stable(self, members: int) -> None:
        """Until the group is stable with that number of clients of one thread each."""
        ends_at = time.monotonic() + _ENDS_WITHIN_S
        while True:
            with suppress(ClusterTrouble, CannotPredict):
                found = self.snapshot()
                if found.group_state == STABLE and kind_of(found).members(found) == members and kind_of(found).at_rest(found):
                    return
            assert time.monotonic() < ends_at, f"{self.group_id} is not stable with {members} clients"
            time.sleep(1)

    def plan(self, *events: Document, acts: Sequence[str] = tuple(str(one) for one in ACTS)) -> Path:
        before = self.snapshot()
        asked = kind_of(before).change_for({"format_version": "1.0", "events": list(events)}, before)
        before, change = move.followed(before, asked)
        exclude = () if isinstance(self.clients, Clients) else self.clients.exclude
        policy = Policy(acts=tuple(one for one in ACTS if str(one) in acts), exclude=exclude)
        made = planning.make(before, change, policy, datetime.now(UTC))
        plan = self.folder / "plan.json"
        plan.write_text(dumps(any_document.plan_to_json(made)))
        self.write_actors()
        return plan

    def write_actors(self) -> None:
        """The file that `--actors` takes. Process IDs distinguish machines that share an address."""
        commands = {verb: ["sh", str(SCRIPT), str(self.services.folder), verb, "{host}"] for verb in _VERBS}
        clients = self.streams.addresses() if self.together else {}
        disk = self.machines[0].own_disk
        file = f"{disk.parent / '{host}' if self.together else disk}/{PROPERTIES}"
        script = [sys.executable, str(properties_file.SCRIPT)]
        commands |= {"set_config": [*script, "set", file], "read_config": [*script, "read", file]}
        group = commands | {"ssh": self._ssh, "limit_s": LIMIT_S, "clients": clients}
        (self.folder / "actors.yaml").write_text(json.dumps({"format_version": "1.0", "groups": {self.group_id: group}}))

    def run(self, plan: Path, *more: str) -> RunProcess:
        where = ("--bootstrap-server", self.clients.bootstrap, "--actors", "actors.yaml", *self.login)
        return RunProcess(_command("apply", str(plan), "--run", "--json", *where, *_APPROVED, *more), self.folder)

    def confirm(self, plan: Path, step: str) -> None:
        """As the person who has done it."""
        fresh = self.folder / "fresh.json"
        fresh.write_text(dumps(any_document.snapshot_to_json(self.snapshot())))
        command = _command("apply", str(plan), "--snapshot", str(fresh), "--confirm", step, *_APPROVED)
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)

    def verdict(self, plan: Path) -> Document:
        """As the run has kept it in its lake."""
        plan_id = json.loads(plan.read_text())["plan_id"]
        kept = self.folder / ".holdfast" / "lake" / "plans" / plan_id / "verdict.json"
        found: Document = json.loads(kept.read_text())
        return found


_VERBS = ("status", "start", "stop", "restart")
_APPROVED = ("--approved-by", "ann", "--reason", "read it")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "holdfast.cli.main", *arguments]


@contextmanager
def started(
    folder: Path, release: str, machines: Sequence[Machine], number: int, host: str, settings: Mapping[str, str]
) -> Iterator[Hosted]:
    """The first `number` machines have a client, each with words counted; `host`: of this machine, to the others. Leaves no process
    behind, whatever happens."""
    kafka_streams(release)
    placed = dict(zip(PROCESS_IDS, machines[:number], strict=False))
    first = tuple(placed)
    delay = {"group.initial.rebalance.delay.ms": "3000"}
    with Broker(folder / "broker", properties=delay, host=host) as broker:
        experiment = Experiment(release, first=first, partitions=6, threads=1, others=SHORT | dict(settings))
        clients = Clients(experiment, broker.bootstrap, folder / "clients", placed)
        try:
            clients.start()
            with Services(machines, folder / "services", clients.on) as services:
                for process_id, machine in placed.items():
                    services.runs(machine.address, clients.clients[process_id])
                yield Hosted(clients, machines, services, broker, folder)
        finally:
            clients.stop()


@contextmanager
def another_kind(
    folder: Path,
    kind: type[other_kinds.Consumers] | type[other_kinds.ByBroker],
    release: str,
    machines: Sequence[Machine],
    number: int,
    host: str,
) -> Iterator[Hosted]:
    """As `started`, for a group of that kind."""
    kafka_streams(release)
    with Broker(folder / "broker", properties={"group.initial.rebalance.delay.ms": "3000"}, host=host) as broker:
        clients = kind(release, broker.bootstrap, folder / "clients")
        clients.prepare()
        try:
            with Services(machines, folder / "services", clients.on) as services:
                for machine in machines[:number]:
                    services.make_ready(machine.address)
                for machine in machines[:number]:
                    services.start(machine.address)
                group = Hosted(clients, machines, services, broker, folder)
                group.wait_stable(number)
                yield group
        finally:
            for one in clients.ever:
                one.kill()
