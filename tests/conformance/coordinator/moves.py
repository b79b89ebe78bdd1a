"""Random moves of classic groups to `group.protocol=streams`: as Holdfast forecasts them, and as scripts for a whole coordinator.

The coordinator has the classic group in its log: it refuses streams members while that has members, and begins a streams group when
it is empty.
"""

import base64
import random
import uuid
from typing import Any

from tests.conformance.coordinator.changes import INTERVAL_MS, STANDBYS, computed, mismatch
from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.vocabulary import LATEST_OFFSET
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

_END = 100


class RandomMove:
    """`script`: for the coordinator; `settled`: the step that shows the group before its first target; `refused`: the step at
    which a client starts too early."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance, self._release = chance, release
        self._one_by_one = not behaviour(release).has_interval
        names = [str(number) for number in range(chance.choice((1, 1, 2, 3, 11)))]
        self._subtopologies = [(name, chance.randint(1, 20), chance.random() < 0.75) for name in names]
        self._clients = {
            str(uuid.UUID(int=chance.getrandbits(128), version=4)): self._new_ids(chance.choice((1, 1, 2, 4)))
            for _ in range(chance.choice((1, 2, 3, 4, 6, 9)))
        }
        self._standbys = chance.choice((0, 0, 1, 2))
        self._late = chance.sample(list(self._clients)[1:], min(len(self._clients) - 1, chance.choice((0, 0, 1, 2))))
        if self._one_by_one:  # each thread that joins later would have a target of its own
            self._clients |= {one: self._clients[one][:1] for one in self._late}
        self._new_ids_of = {
            one: str(uuid.UUID(int=chance.getrandbits(128), version=4)) for one in self._clients if chance.random() < 0.3
        }
        self._steps: list[Case] = []
        self._play()

    def _new_ids(self, threads: int) -> list[str]:
        return [base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=") for _ in range(threads)]

    def _do(self, what: str, **more: Any) -> None:
        self._steps.append({"do": what, **more})

    def _play(self) -> None:
        classic = [f"classic-{client}-{number}" for client, threads in self._clients.items() for number in range(len(threads))]
        self._do("classic", members=classic)
        if self._standbys:
            self._do("config", config={STANDBYS: self._standbys})
        self.refused = len(self._steps)
        self._do("join", id="tooEarly", process="tooEarly")
        self._do("classic", members=[])
        self.settled = len(self._steps)  # the first client joins: the group exists, and its delay begins
        there: list[str] = []
        for client in [one for one in self._clients if one not in self._late]:
            there += self._join(client)
        self._do("sleep", ms=3_001)
        self._beat(there)
        for client in self._late:
            there += self._join(client)
            if not self._one_by_one:
                self._do("sleep", ms=INTERVAL_MS + 1)
            self._beat(there)

    def _join(self, client: str) -> list[str]:
        for member in self._clients[client]:
            self._do("join", id=member, process=self._new_ids_of.get(client, client))
        return self._clients[client]

    def _beat(self, members: list[str]) -> None:
        for _ in range(3):
            for member in members:
                self._do("heartbeat", id=member)

    @property
    def script(self) -> Case:
        config = {"group.streams.initial.rebalance.delay.ms": 3000, "group.streams.assignment.interval.ms": INTERVAL_MS}
        if self._one_by_one:
            del config["group.streams.assignment.interval.ms"]
        return {"config": config, "subtopologies": [list(one) for one in self._subtopologies], "steps": self._steps}

    @property
    def change(self) -> Case:
        move = {
            "broker_release": self._release,
            "kafka_release": "4.3.1",
            "new_process_ids": self._new_ids_of,
            "late": self._late,
            "member_ids": self._clients,
        }
        return {"format_version": "1.0", "events": [{"move_to_streams_protocol": move}]}

    def forecast(self) -> list[Case]:
        """Holdfast's targets, from the Snapshot of the classic group."""
        answer: Any = forecast_case({"snapshot": self.snapshot(), "change": self.change}, Detail.FULL)
        return answer["outcomes"][0]["targets"]

    def snapshot(self) -> Case:
        """What the clients run now is any task's any client: nothing of it decides."""
        chance, members = self._chance, [(client, number) for client, ids in self._clients.items() for number in range(len(ids))]
        clients: Case = {
            client: {
                "host": f"host-{place}",
                "consumers": {
                    f"classic-{client}-{number}": {"client_id": f"c-{number}", "owned": [], "task_offset_sums": {}}
                    for number in range(len(ids))
                },
            }
            for place, (client, ids) in enumerate(self._clients.items())
        }
        tasks: Case = {}
        for name, count, stateful in self._subtopologies:
            for number in range(count):
                task = f"{name}_{number}"
                logs = [[f"store-{name}-changelog", number, _END]] if stateful else []
                tasks[task] = {"partitions": [[f"input-{name}", number]], "changelogs": logs}
                client, thread = chance.choice(members)
                consumer = clients[client]["consumers"][f"classic-{client}-{thread}"]
                consumer["owned"].append([f"input-{name}", number])
                if stateful:
                    consumer["task_offset_sums"][task] = LATEST_OFFSET
        return {
            "format_version": "1.0",
            "protocol": "streams-classic",
            "group_id": "shop",
            "group_state": "Stable",
            "kafka_release": "4.3.1",
            "config": {"num.standby.replicas": self._standbys},
            "tasks": tasks,
            "clients": clients,
        }

    def wrong(self, steps: list[Case]) -> str:
        """What differs first from the forecast; empty: nothing. `steps`: as the coordinator shows them."""
        early = steps[self.refused].get("error", "")
        if not early.startswith("GroupIdNotFoundException"):
            return f"a client that starts too early: {early or 'is let in'}"
        errors = [one["error"] for one in steps[self.settled :] if "error" in one]
        return errors[0] if errors else mismatch(self.forecast(), computed(steps[self.settled :]))
