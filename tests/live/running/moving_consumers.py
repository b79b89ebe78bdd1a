"""A real consumer group on a real broker that moves from the classic protocol to the new one, consumer by consumer, and back.

Before each restart the group's snapshot is taken, as a person would; after it the targets that the broker describes are compared
with the forecast for the member IDs that came about, and the step with which the group becomes classic again with the one that was
named. For both directions a plan is made of the first snapshot, carried out step by step, and verified after each.

    python -m tests.live.running.moving_consumers [--static] [--release 4.3.1] [--assignor cooperative-sticky]
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.harness import command_line
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.plain_app import PlainGroup

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

GROUP, TOPICS, NAMES = "moving", {"orders": 9, "users": 4}, ("app-1", "app-2", "app-3")
SETTLES_WITHIN_S = 120
Document = dict[str, Any]


class Moving:
    """The group, and how its members stop and start."""

    def __init__(self, broker: Broker, release: str, assignor: str, folder: Path, *, static: bool) -> None:
        self.group = PlainGroup(release, GROUP, broker.bootstrap, TOPICS, folder)
        self._assignor, self._static, self._folder = assignor, static, folder
        self._of_classic = ("--kafka-release", release, "--set", f"partition.assignment.strategy={assignor}")
        self._command = ("snapshot", "--broker-release", release, "--group", GROUP, "--bootstrap-server", broker.bootstrap)
        self.wrong: list[str] = []

    def start(self, name: str, to: str) -> None:
        self.group.start(name, (self._assignor,) if to == "classic" else (), f"i-{name}" if self._static else None)

    def settled(self, members: int, gone: str = "") -> Document:
        """The snapshot of the group once it has that many members, the one called `gone` not among them, and each has what it is to
        have."""
        deadline, found = time.monotonic() + SETTLES_WITHIN_S, "nothing"
        while time.monotonic() < deadline:
            answer = command_line.run((*self._command, *self._of_classic))  # brokers do not show these of classic members
            answer = answer if answer.returncode == 0 else command_line.run(self._command)
            if answer.returncode == 0:
                snapshot: Document = json.loads(answer.stdout)
                there = snapshot.get("members") or snapshot["consumers"]
                if len(there) == members and gone not in there and snapshot["group_state"] == "Stable":
                    return snapshot
            found = answer.stdout[:2_000] + answer.stderr
            time.sleep(0.5)
        raise AssertionError(f"the group did not settle:\n{found}")

    def plan(self, before: Document, to: str) -> Path:
        """For all consumers, one after the other."""
        events = [event for name in NAMES for event in (self._event(_member(before, name), to), {"then": "stable"})]
        files = {"snapshot": before, "change": {"format_version": "1.0", "events": events[:-1]}}
        for name, document in files.items():
            (self._folder / f"{name}.json").write_text(json.dumps(document))
        answer = command_line.run(("plan", "--json", *(self._folder / f"{name}.json" for name in files)))
        assert answer.returncode in (0, 2), answer.stdout + answer.stderr
        plan: Document = json.loads(answer.stdout)
        baseline = next(one for one in plan["candidates"] if one["name"] == "baseline")
        print(f"plan: {plan['chosen']}\n  baseline: {baseline['summary']}", flush=True)
        found = self._folder / "plan.json"
        found.write_text(answer.stdout)
        return found

    def _event(self, member_id: str, to: str, **more: object) -> Document:
        listed = {"assignors": [self._assignor]} if to == "classic" else {}
        return {"convert_consumer": {"member_id": member_id, "to": to, **listed, **more}}

    def carry_out(self, path: Path, before: Document) -> Document:
        """The plan's steps, as a person does them. The verdict is `not yet` until the last one, and `as forecast` after it."""
        after, names = before, {one: member["client_id"] for one, member in _members(before).items()}
        steps = [one for one in json.loads(path.read_text())["steps"] if not one["action"].startswith("await_")]
        for number, step in enumerate(steps, start=1):
            match step["action"]:
                case "set_config":
                    self._configure(step["inputs"])
                    after = self.settled(len(NAMES))
                case "convert_consumer":
                    self.group.close(names[step["inputs"]["member_id"]])
                    self.start(names[step["inputs"]["member_id"]], step["inputs"]["to"])
                    after = self.settled(len(NAMES), step["inputs"]["member_id"])
            self._verify(f"step {step['id']}, {step['action']}", path, after, at_the_end=number == len(steps))
        return after

    def _configure(self, configs: Document) -> None:
        texts = {key: None if value is None else str(value) for key, value in configs.items()}
        with KafkaSession(ClusterConnection.of(self.group.bootstrap), Deadline(60)) as session:
            KafkaCluster(session).alter_group_configs(GROUP, texts)

    def _verify(self, step: str, plan: Path, after: Document, *, at_the_end: bool) -> None:
        seen = self._folder / "seen.json"
        seen.write_text(json.dumps(after))
        answer = command_line.run(("verify", str(plan), "--snapshot", str(seen), "--json"))
        result = json.loads(answer.stdout)["result"] if answer.stdout else answer.stderr
        fits = result == "as forecast" if at_the_end else result == "not yet"
        self._say(step, [] if fits else [answer.stdout[:3_000]], result)

    def convert(self, name: str, to: str, before: Document) -> Document:
        """The group after it."""
        self.group.close(name)
        self.start(name, to)
        old = _member(before, name)
        after = self.settled(len(NAMES), old)
        self._compare(f"{name} to {to}", old, to, before, after)
        return after

    def _compare(self, step: str, member_id: str, to: str, before: Document, after: Document) -> None:
        new = next(one for one in _members(after) if one not in _members(before))
        event = self._event(member_id, to, new_member_id=new)
        theirs = _owned(after)
        fast = (False, True) if before["protocol"] == "consumer" else (False,)
        courses = {within: _forecast(before, _hurried(event) if within else event)["outcomes"][0] for within in fast}
        fits = [within for within, one in courses.items() if _end(one, before, {member_id: new}) == theirs]
        alike = [within for within in fits if _becomes_classic(courses[within]) == (after["protocol"] != "consumer")]
        self._say(
            step,
            [] if alike else [f"{theirs}, forecast {[_end(one, before, {member_id: new}) for one in courses.values()]}"],
            _said(courses, alike),
        )

    def _say(self, step: str, wrong: list[str], found: str) -> None:
        self.wrong += wrong
        print(f"{step}: {'as forecast' if not wrong else 'DIFFERENT: ' + wrong[0]}, {found}", flush=True)


def _becomes_classic(outcome: Document) -> bool:
    return any(one["to"] == "classic" for one in outcome.get("conversions", ()))


def _members(snapshot: Document) -> Document:
    found: Document = snapshot.get("members") or snapshot["consumers"]
    return found


def _member(snapshot: Document, name: str) -> str:
    return next(one for one, member in _members(snapshot).items() if member["client_id"] == name)


def _hurried(event: Document) -> Document:
    """Back before the coordinator has computed a target without it."""
    return {verb: given | {"within_interval": True} for verb, given in event.items()}


def _forecast(snapshot: Document, event: Document) -> Any:
    return forecast_case(
        {"snapshot": snapshot, "change": {"format_version": "1.0", "events": [event, {"then": "stable"}]}}, Detail.FULL
    )


def _end(outcome: Document, before: Document, renamed: dict[str, str]) -> Document:
    if outcome.get("rebalances") and outcome["rebalances"][-1]["targets"] == len(outcome["targets"]):
        return {name: sorted(map(tuple, one)) for name, one in outcome["rebalances"][-1]["members"].items()}
    if not outcome["targets"]:  # a static member has its place back
        return {renamed.get(name, name): one for name, one in _owned(before).items()}
    members = outcome["targets"][-1]["assignment"]["members"]
    return {name: sorted(map(tuple, one["partitions"])) for name, one in members.items()}


def _owned(snapshot: Document) -> Document:
    return {
        name: sorted(map(tuple, one["target"] if "target" in one else one.get("assigned", one["owned"])))
        for name, one in _members(snapshot).items()
    }


def _said(courses: dict[bool, Document], alike: list[bool]) -> str:
    figures = [courses[one]["summary"] for one in alike]
    texts = (f"{one['targets']} targets, {one.get('rebalances', 0)} rebalances, {one['moves']} hand-overs" for one in figures)
    return ", ".join(dict.fromkeys(texts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--static", action="store_true")
    parser.add_argument("--release", default="4.3.1", help="of the broker and the consumers")
    parser.add_argument("--assignor", default="range", help="of the consumers while they are classic")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with Broker(folder / "broker", release=given.release) as broker:
            moving = Moving(broker, given.release, given.assignor, folder / "consumers", static=given.static)
            try:
                moving.group.create_topics()
                for name in NAMES:
                    moving.start(name, "classic")
                found = moving.settled(len(NAMES))
                for to in ("consumer", "classic"):
                    found = moving.carry_out(moving.plan(found, to), found)
                for to in ("consumer", "classic"):
                    for name in NAMES:
                        found = moving.convert(name, to, found)
            finally:
                moving.group.stop()
    return 1 if moving.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
