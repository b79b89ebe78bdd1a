"""Random changes to a streams group whose members report what their disks hold (from 4.4 on), as `changes` and `static_changes`
have them.

In one half all members do (`"assume": {"offsets": "disks"}`). In the other the members of the start report once, or nothing, and
new members what the state directory of their client holds, where the Snapshot has it.
"""

import random
from collections.abc import Iterable
from typing import Any

from tests.conformance.coordinator.changes import described
from tests.conformance.coordinator.static_changes import StaticChange
from tests.conformance.coordinator.targets import Case

from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

END = 1_000


class ReportedChange(StaticChange):
    """`_known`: the clients whose state directory the Snapshot has."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._follow = chance.random() < 0.5
        self._disks: Case = {}
        self._known: set[str] = set()
        self._emptied: set[str] = set()
        self._begun = False
        super().__init__(chance, release)

    @property
    def script(self) -> Case:
        return super().script | {"disks": self._disks, "end offset": END, "offsets after": self.settled}

    def _batch(self, wait: str | None) -> None:
        self._begun = True
        super()._batch(wait)

    def _beat(self) -> None:
        """Twice, so that all have reported what they were given."""
        super()._beat()
        super()._beat()

    def _do(self, what: str, **more: Any) -> None:
        if what == "join":
            process = more["process"]
            if process not in self._disks:
                self._meet(process)
            silent = "nothing" if self._begun or self._chance.random() < 0.3 else "once"
            more["reports"] = "disk" if self._follow or (self._begun and process in self._known) else silent
        super()._do(what, **more)

    def _meet(self, process: str) -> None:
        """A client that was not seen before, with what is on its disk."""
        tasks = [f"{name}_{number}" for name, count, stateful in self._subtopologies if stateful for number in range(count)]
        some = self._chance.sample(tasks, self._chance.randint(0, len(tasks)))
        held = {task: self._chance.choice((END, self._chance.randint(1, END - 1))) for task in some}
        if self._chance.random() < 0.6:
            self._known.add(process)
        shown = process in self._known or not self._begun
        self._disks[process] = held if shown and self._chance.random() < 0.5 else {}

    def _join(self, members: Iterable[str], process: str, started: Case | None = None) -> None:
        if started is not None and self.events:
            self._on_a_disk(process, started)
        named = list(members)
        super()._join(named, process, started)
        if started is not None and self._returns(named):
            for one in (*named, *named):  # so that all have reported what they were given back
                self._do("heartbeat", id=one)

    def _on_a_disk(self, process: str, started: Case) -> None:
        """What the client of an event finds where it starts."""
        event = next(one for one in reversed(self.events) if started in one.values() or started in _by(one))
        if "restart_client" in event:
            old = event["restart_client"]["process_id"]
            if process == old and self._chance.random() < 0.2:
                started["keeps_state"] = False
                self._emptied.add(process)
                self._do("disk", process=process)
            elif process != old:
                self._copied(process, old)
        elif "replace_client" in event:
            there = [one for one in dict.fromkeys(self._alive.values()) if one not in self._emptied]
            state = self._chance.choice(("empty", "kept", "copied"))
            if state == "kept":
                event["replace_client"]["state"] = "kept"
                self._copied(process, event["replace_client"]["process_id"])
            elif state == "copied" and there:
                source = self._chance.choice(there)
                event["replace_client"]["state"] = {"copied_from": source}
                self._copied(process, source)

    def _copied(self, process: str, source: str) -> None:
        self._disks[process] = {}
        self._do("disk", process=process, **{"from": source})
        if source in self._known:
            self._known.add(process)

    def forecast(self, shown: Case) -> list[Case]:
        config = self._config | {"group.streams.num.standby.replicas": self._initial_standbys}
        snapshot: Any = described(shown, self._release, config, self._subtopologies)
        for name, one in shown["members"].items():
            snapshot["members"][name]["task_offsets"] = one["offsets"]
        for name, topic in snapshot["topics"].items():
            if name.endswith("-changelog"):
                topic["partitions"] = [one | {"begin_offset": 0, "end_offset": END} for one in topic["partitions"]]
        snapshot["state_directories"] = [
            {
                "url": f"file:///state/{process}",
                "process_id": process,
                "tasks": {
                    task: {"non_empty": True, "checkpoint": [[_changelog(task), int(task.rpartition("_")[2]), offset - 1]]}
                    for task, offset in shown["disks"].get(process, {}).items()
                },
            }
            for process in sorted(self._known & shown["disks"].keys())
        ]
        change: Case = {"format_version": "1.0", "events": self.events}
        if self._follow:
            change["assume"] = {"offsets": "disks"}
        answer: Any = forecast_case({"snapshot": snapshot, "change": change}, Detail.FULL)
        return answer["outcomes"][0]["targets"]


def _by(event: Case) -> list[Case]:
    return [content["by"] for content in event.values() if "by" in content]


def _changelog(task: str) -> str:
    return f"store-{task.rpartition('_')[0]}-changelog"
