"""A real streams group whose broker assigns: a change is forecast, carried out, and compared with what its coordinator recorded.

Member IDs are random at each start: what happened is forecast once more with those that came, and must be equal, target by target;
the forecast that leaves them open must contain it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewTopic
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.live import broker_log
from tests.live.broker_log import Entry, What

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import ClusterTrouble
from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.kinds import any_document
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.forecast import forecast_case

Document = dict[str, Any]
_SETTLES_WITHIN_S = 600


@dataclass
class Step:
    """One change as it happened. `wrong`: how it differs from the forecast.

    `apart`: between the leaves, or the ends of the sessions, of one client's threads another member's heartbeat computed a target.
    A Change cannot say so, so that such a step is not compared.
    """

    name: str
    targets: int = 0
    moves: int = 0
    seconds: float = 0.0
    forecast_s: tuple[float, ...] = ()
    wrong: list[str] = field(default_factory=list)
    apart: bool = False


class LiveGroup:
    """`late_s`: what requests and the closing of tasks may take in addition to what is forecast."""

    def __init__(
        self, bootstrap: str, log: Path, folder: Path, group_id: str, input_topic: str, threads: int, late_s: float = 1.5
    ) -> None:
        self.group_id, self.threads, self.late_s = group_id, threads, late_s
        self.clients: dict[str, StreamsClient] = {}
        self._log, self._folder = log, folder
        self._application = Application("4.3.1", group_id, bootstrap, input_topic, {"group.protocol": "streams"})
        self.classic = replace(self._application, settings={"group.protocol": "classic"})
        self._started = 0
        self._killed_at: float | None = None

    # Clients: by names; each start is a process of its own, on the disk of the one before if there was one.

    def create_topic(self, partitions: int) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self._application.bootstrap)
        admin.create_topics([NewTopic(self._application.input_topic, partitions, 1)])
        admin.close()

    def load(self, name: str, disk: Path | None = None, *, process_id: str | None = None, classic: bool = False) -> StreamsClient:
        self._started += 1
        folder = self._folder / f"{name}-{self._started}"
        application = self.classic if classic else self._application
        client = StreamsClient(application, folder, threads=self.threads, process_id=process_id, disk=disk)
        client.load()
        client.wait_loaded()
        return client

    def add(self, name: str) -> None:
        self.clients[name] = self.load(name)
        self.clients[name].go()

    def remove(self, name: str) -> None:
        self.clients.pop(name).stop()

    def restart(self, name: str) -> None:
        """The new process is loaded beforehand, so that it joins soon."""
        following = self.load(name, self.clients[name].disk)
        self.clients[name].stop()
        self.clients[name] = following
        following.go()

    def restart_within(self, interval: Callable[[], None], names: str) -> None:
        """One after the other, each as soon as a target is computed: the first after that of `interval`."""
        following = {name: self.load(name, self.clients[name].disk) for name in names}
        seen = self.log()[-1]
        interval()
        for name, client in following.items():
            self._wait_for(What.TARGET, seen)
            self.clients[name].stop()
            self.clients[name] = client
            seen = self.log()[-1]
            client.go()
            self._wait_for(What.JOINED, seen)

    def _wait_for(self, what: What, after: Entry) -> None:
        ends_at = time.monotonic() + _SETTLES_WITHIN_S
        while not any(one.what is what for one in _following(self.log(), after)):
            assert time.monotonic() < ends_at, f"nothing {what} in the broker's log"
            time.sleep(0.1)

    def replace(self, old: str, new: str) -> None:
        following = self.load(new)
        self.clients.pop(old).stop()
        self.clients[new] = following
        following.go()

    def kill(self, name: str) -> None:
        self._killed_at = _now()
        self.clients.pop(name).kill()

    def stop(self) -> None:
        for client in self.clients.values():
            client.kill()

    def configure(self, **configs: str) -> None:
        named = {f"streams.{key.replace('_', '.')}": value for key, value in configs.items()}
        admin = KafkaAdminClient(bootstrap_servers=self._application.bootstrap)
        admin.alter_configs([ConfigResource(ConfigResourceType.GROUP, self.group_id, named)])
        admin.close()

    # What is seen of it.

    def look(self, *more: str) -> Document:
        """`holdfast snapshot` as an operator runs it."""
        return holdfast("snapshot", "--bootstrap-server", self._application.bootstrap, "--group", self.group_id, *more)

    def collected(self) -> Document:
        connection = ClusterConnection.of(self._application.bootstrap)
        found: Any = any_document.snapshot_to_json(
            wiring.collect_any(connection, self.group_id, (), StatedByOperator(None, {}, {}), 300)
        )
        return dict(json.loads(json.dumps(found)))

    def settled(self, clients: int, after: int = -1) -> Document:
        """Once the group is stable with that number of clients, and beyond that epoch."""
        ends_at = time.monotonic() + _SETTLES_WITHIN_S
        while True:
            try:
                found = self.collected()
                processes = {one["process_id"] for one in found["members"].values()}
                whole = found["group_state"] == "Stable" and len(found["members"]) == clients * self.threads
                if whole and len(processes) == clients and found["group_epoch"] > after:
                    return found
            except ClusterTrouble:
                found = {}  # it is not there yet
            assert time.monotonic() < ends_at, f"{self.group_id} is not stable: {found}"
            time.sleep(0.3)

    def state(self) -> str:
        """As the broker lists the group, whatever its protocol."""
        admin = KafkaAdminClient(bootstrap_servers=self._application.bootstrap)
        try:
            return next((str(one["group_state"]) for one in admin.list_groups() if one["group_id"] == self.group_id), "")
        finally:
            admin.close()

    def log(self) -> list[Entry]:
        return list(broker_log.entries(self._log.read_text(encoding="utf-8", errors="replace"), self.group_id))

    # A change.

    def process_of(self, name: str, snapshot: Document) -> str:
        """By the process ID that Kafka Streams keeps in the state directory."""
        path = self.clients[name].state_directory / "kafka-streams-process-metadata"
        found = str(json.loads(path.read_text(encoding="utf-8"))["processId"])
        assert found in {one["process_id"] for one in snapshot["members"].values()}
        return found

    def change(self, name: str, act: Callable[[], None], events: Callable[[Document], list[Document]]) -> Step:
        """`events`: of the change, without member IDs: those that came are put into them in the order in which they joined."""
        before = self.look()
        asked = events(before)
        seen = len(self.log())
        self._killed_at = None
        began = _now()
        act()
        after = self.settled(len(self.clients), before["group_epoch"])
        happened = self.log()[seen:]
        step = Step(name)
        self._judge(step, before, asked, after, happened, began)
        print(name, step, flush=True)
        return step

    def _judge(
        self, step: Step, before: Document, asked: list[Document], after: Document, happened: list[Entry], began: float
    ) -> None:
        flagged = as_it_came(asked, happened, with_ids=False)
        given = as_it_came(asked, happened, with_ids=True)
        recorded = [one for one in after["recorded_targets"] if one["assignment_epoch"] > before["assignment_epoch"]]
        step.targets, step.moves = len(recorded), _moves(before, recorded)
        step.apart = _apart(before, happened, What.LEFT) or _apart(before, happened, What.FENCED)
        if step.apart:
            return
        exact = forecast_of(before, given)
        step.wrong += targets_differ(exact["targets"], recorded)
        if exact["summary"]["moves"] != step.moves:
            step.wrong.append(f"{step.moves} hand-overs, forecast {exact['summary']['moves']}")
        if any("member_ids" in str(one) for one in given):
            step.wrong += _not_contained(forecast_of(before, flagged), exact, before, recorded)
        if self._killed_at is None:
            first = [one.at for one in happened if one.what in (What.LEFT, What.JOINED)]
            began = min([began, *first]) if not first or first[0] > began + self.late_s else first[0]
        step.seconds = round(broker_log.stable_at(happened, set(after["members"])) - began, 2)
        step.forecast_s = tuple(exact["summary"]["seconds_to_stable"])
        start_ups = _start_ups(happened, began)
        if not step.forecast_s[0] - self.late_s <= step.seconds <= step.forecast_s[2] + start_ups + self.late_s:
            step.wrong.append(f"stable after {step.seconds} s ({start_ups:.1f} s of start-ups), forecast {step.forecast_s}")
        step.wrong += self._owners_differ(exact["unowned_seconds"], before, happened, recorded)

    def _owners_differ(self, spans: Document, before: Document, happened: list[Entry], recorded: list[Document]) -> list[str]:
        runs = {Task.parse(task): member for member, one in before["members"].items() for task in one["assignment"]["active"]}
        left = {one.member for one in happened if one.what is What.LEFT}
        ended: set[str] = set()
        if self._killed_at is not None:
            ended = set(before["members"]) - left - set(recorded[-1]["members"])
        measured = broker_log.without_owner(happened, runs, ended, self._killed_at or 0.0)
        wrong = []
        for task, seconds in measured.items():
            span = spans.get(str(task), [0, 0, 0])
            if span is not None and not span[0] - self.late_s <= seconds <= span[2] + self.late_s:
                wrong.append(f"{task} had no owner for {seconds:.2f} s, forecast {span}")
        return wrong


def holdfast(*command: str) -> Document:
    """What a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", *command], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout, done.stderr
    found: Document = json.loads(done.stdout)
    return found


def _following(log: list[Entry], after: Entry) -> list[Entry]:
    return log[log.index(after) + 1 :]


def _apart(before: Document, happened: list[Entry], what: What) -> bool:
    """Whether a target came between the first and the last thread of a client that did so."""
    clients: dict[str, list[int]] = {}
    for at, one in enumerate(happened):
        if one.what is what and one.member in before["members"]:
            clients.setdefault(before["members"][one.member]["process_id"], []).append(at)
    return any(one.what is What.TARGET for there in clients.values() for one in happened[there[0] : there[-1]])


def _moves(before: Document, recorded: list[Document]) -> int:
    """How often a target gives a stateful task to another process than the one before."""
    stateful = {name for name, one in before["topology"]["subtopologies"].items() if one["changelog_topics"]}
    owners = {task: one["process_id"] for one in before["members"].values() for task in one["assignment"]["active"]}
    moves = 0
    for target in recorded:
        after = {task: one["process_id"] for one in target["members"].values() for task in one["active"]}
        moves += sum(owners[task] != process for task, process in after.items() if Task.parse(task).subtopology in stateful)
        owners = after
    return moves


def _now() -> float:
    at = time.localtime()
    return at.tm_hour * 3600 + at.tm_min * 60 + at.tm_sec + time.time() % 1


def as_it_came(asked: list[Document], happened: list[Entry], *, with_ids: bool) -> list[Document]:
    """The events with what happened: the member IDs, whether a client's first thread made a target alone, and whether the client
    was there before the next target."""
    joins = [one for one in happened if one.what is What.JOINED]
    found: list[Document] = []
    for event in asked:
        (verb, value) = next(iter(event.items()))
        if verb not in ("add_client", "replace_client", "restart_client"):
            found.append(event)
            continue
        started = value["by"] if verb == "replace_client" else value
        own, joins = joins[: started["threads"]], joins[started["threads"] :]
        new: Document = {"threads": started["threads"]}
        if with_ids:
            new["member_ids"] = [one.member for one in own]
        if any(one.what is What.TARGET and one.at >= own[0].at for one in happened[: happened.index(own[-1])]):
            new["first_thread_alone"] = True
        between = _target_before(happened, own[0])
        if verb == "replace_client" and between:
            found += [{"remove_client": {"process_id": value["process_id"]}}, {"then": "target"}, {"add_client": started | new}]
            continue
        if verb == "restart_client" and value.get("leaves", True) and not between:
            new["within_interval"] = True
        found.append({verb: value | {"by": started | new}} if verb == "replace_client" else {verb: value | new})
    return found


def _target_before(happened: list[Entry], joined: Entry) -> bool:
    """Whether a target was computed between the last that left and that member's join."""
    until = happened[: happened.index(joined)]
    gone = max((at for at, one in enumerate(until) if one.what is What.LEFT), default=len(until))
    return any(one.what is What.TARGET for one in until[gone:])


def forecast_of(before: Document, events: list[Document]) -> Document:
    change = {"format_version": "1.0", "events": events}
    answer: Any = forecast_case({"snapshot": before, "change": change}, Detail.FULL)
    outcome: Document = answer["outcomes"][0]
    return outcome


def targets_differ(forecast: list[Document], recorded: list[Document]) -> list[str]:
    """Target by target, but for undetermined tasks."""
    epochs = [one["group_epoch"] for one in forecast], [one["assignment_epoch"] for one in recorded]
    if epochs[0] != epochs[1]:
        return [f"targets of epochs {epochs[1]}, forecast {epochs[0]}"]
    wrong = []
    for ours, theirs in zip(forecast, recorded, strict=True):
        free = {*ours["assignment"]["undetermined_tasks"], *ours.get("after_undetermined", ())}
        own, other = (
            {name: {role: sorted(set(one.get(role, ())) - free) for role in ("active", "standby")} for name, one in members.items()}
            for members in (ours["assignment"]["members"], theirs["members"])
        )
        if own != other:
            wrong.append(f"target {ours['group_epoch']}: recorded {other}, forecast {own}")
    return wrong


def _not_contained(open_: Document, exact: Document, before: Document, recorded: list[Document]) -> list[str]:
    """What of it the forecast with random IDs rules out: places that it calls certain, figures outside of its ranges."""
    wrong = []
    draws = open_["draws"]
    for figure in ("moves", "cold_moves", "active_moved"):
        least, _, most = draws[figure]
        if not least <= exact["summary"][figure] <= most:
            wrong.append(f"{exact['summary'][figure]} {figure}, {least} to {most} in {draws['count']} draws")
    old = {name: one["process_id"] for name, one in before["members"].items()}
    came = {one["process_id"] for target in recorded for name, one in target["members"].items() if name not in old}
    for ours, theirs in zip(open_["targets"], recorded, strict=False):
        free = set(ours["assignment"]["undetermined_tasks"])
        there = {task: one["process_id"] for one in theirs["members"].values() for task in one["active"]}
        for name, one in ours["assignment"]["members"].items():
            certain = {old[name]} if name in old else came
            wrong += [
                f"target {ours['group_epoch']}: {task} is on {there[task]}, certain was {certain}"
                for task in one["active"]
                if task not in free and there[task] not in certain
            ]
    return wrong


def _start_ups(happened: list[Entry], began: float) -> float:
    """From the last that left, or the beginning, until clients joined."""
    total, last = 0.0, began
    for one in happened:
        if one.what is What.JOINED:
            total += max(0.0, one.at - last)
        last = one.at
    return total
