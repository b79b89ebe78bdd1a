"""The deploys that are priced of a consumer group whose leader assigns, as scripts for the whole coordinators: members with Kafka's
own assignors, which join, sync and beat as Kafka's do; and what their rebalances moved."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.conformance.coordinator.targets import Case

from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.change import ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.kinds.protocols.classic_consumers import ClassicConsumers
from holdfast.rollout.kinds.protocols.comparison import DeployKind
from holdfast.rollout.kinds.protocols.side import Drawn, in_turn
from holdfast.rollout.policy.policy import Policy

_SESSION_MS, _BEAT_MS = 45_000, 15_000
_ASSIGNORS = (
    (Assignor.RANGE,),
    (Assignor.ROUNDROBIN,),
    (Assignor.STICKY,),
    (Assignor.COOPERATIVE_STICKY,),
    (Assignor.RANGE, Assignor.COOPERATIVE_STICKY),
)


class PricedClassic:
    """Members have names in the script: the coordinator makes their IDs at random, so that a seed is not the whole script."""

    def __init__(self, chance: random.Random, release: str, deploy: DeployKind) -> None:
        self._release, self._deploy = release, deploy
        self._topics = {f"t{number}": chance.randint(1, 20) for number in range(chance.choice((1, 1, 2, 3)))}
        self._assignors = chance.choice(_ASSIGNORS)
        static, on_host, count = chance.choice((0, 0, 1, 0.5)), chance.choice((1, 1, 1, 2)), chance.choice((3, 4, 5, 6, 9))
        self._names = [f"m{number}" for number in range(count)]
        self._chosen = chance.choice(self._names)
        self._host = {name: f"host-{number // on_host}" for number, name in enumerate(self._names)}
        self._instance = {name: f"i-{name}" if chance.random() < static else None for name in self._names}
        apart = len(self._topics) > 1 and chance.random() < 0.6
        self._reads = {name: self._subscribed(chance, apart=apart) for name in self._names}
        racks = chance.choice((0, 0, 2, 3))
        self._racks = {name: [f"r{chance.randrange(racks)}" for _ in range(count)] for name, count in self._topics.items() if racks}
        self._rack = {name: f"r{chance.randrange(racks)}" if racks and chance.random() < 0.9 else None for name in self._names}
        self._steps: list[Case] = []
        self._alive: dict[str, None] = {}
        self._play()

    def _subscribed(self, chance: random.Random, *, apart: bool) -> tuple[str, ...]:
        if not apart:
            return tuple(self._topics)
        return tuple(sorted(chance.sample(list(self._topics), chance.randint(1, len(self._topics)))))

    def _do(self, what: str, **more: Any) -> None:
        self._steps.append({"do": what, **more})

    def _join(self, name: str, like: str) -> None:
        self._reads[name], self._rack[name] = self._reads[like], self._rack[like]
        more: Case = {"topics": list(self._reads[name]), "assignors": [*self._assignors], "rack": self._rack[name]}
        self._do("join classic", id=name, instance=self._instance[name], **more)
        self._alive[name] = None

    def _stop(self, names: Sequence[str]) -> None:
        """A static member does not leave."""
        for one in names:
            if self._instance[one] is None:
                self._do("leave classic", id=one)
            del self._alive[one]

    def _settle(self) -> None:
        self._do("sleep", ms=3_000)
        for _ in range(8):
            self._do("heartbeat classic, together", ids=[*self._alive])

    def _play(self) -> None:
        for one in self._names:
            self._join(one, one)
        for _ in range(3):
            self._settle()
        self.settled = len(self._steps) - 1
        if self._deploy is DeployKind.RESTART:
            for one in self._names:
                self._restart(one)
        elif self._deploy is DeployKind.SCALE_OUT:
            usual = max(self._names, key=lambda one: sum(self._reads[one] == other for other in self._reads.values()))
            self._start(usual, static=all(self._instance.values()))
            self._settle()
        else:
            replaced = self._deploy is DeployKind.REPLACE
            gone = [one for one in self._names if one == self._chosen or (replaced and self._host[one] == self._host[self._chosen])]
            self._stop(gone)
            self._expire()
            self._settle()
            for one in gone if replaced else ():
                self._start(one, static=self._instance[one] is not None)
            self._settle()

    def _expire(self) -> None:
        """The sessions of those who are gone are over."""
        for _ in range(_SESSION_MS // _BEAT_MS + 1):
            self._do("sleep", ms=_BEAT_MS)
            self._do("heartbeat classic, together", ids=[*self._alive])

    def _restart(self, old: str) -> None:
        new = f"{old}+"
        self._instance[new] = self._instance[old]
        self._stop([old])
        if self._instance[old] is None:
            self._settle()
        self._join(new, old)
        self._settle()

    def _start(self, like: str, *, static: bool) -> None:
        """A static one is the last in the order of instance IDs."""
        new = f"new-{like}"
        self._instance[new] = f"z-{like}" if static else None
        self._join(new, like)

    @property
    def script(self) -> Case:
        return {"topics": [list(one) for one in self._topics.items()], "racks": self._racks, "steps": self._steps}

    def __str__(self) -> str:
        static = sum(self._instance[one] is not None for one in self._names)
        reads, racks = [self._reads[one] for one in self._names], [self._rack[one] for one in self._names]
        of_each = f"{len(self._names)} consumers ({static} static) that read {reads} in racks {racks}"
        return f"{self._deploy}, {[str(one) for one in self._assignors]}, {of_each}, {self._topics}"

    def price(self, answer: Case) -> Drawn:
        """Holdfast's, from how the group is described before the deploy."""
        shown = answer["steps"]
        ids = {name: one for step in shown for name, one in step["ids"].items() if one}
        group = self._snapshot(shown[self.settled], {one: name for name, one in ids.items()})
        chosen = [one.member_id for one in group.members].index(ids[self._chosen])
        joined = {name: (self._reads[name], self._rack[name], self._instance[name]) for name in ids}
        (found,) = _Replayed(group, ids, joined).drawn(self._deploy, chosen)
        return found

    def _snapshot(self, shown: Case, names: Mapping[str, str]) -> ConsumerSnapshot:
        generation, given = shown["generation"], shown["classic"]["members"]
        sticky = any("sticky" in one for one in self._assignors)
        owned = {one: tuple(TopicPartition(*part) for part in _each(each["assignment"])) for one, each in given.items()}
        members = tuple(
            Member(
                one,
                self._assignors,
                self._reads[names[one]],
                owned[one] if sticky else (),
                generation if sticky else None,
                group_instance_id=self._instance[names[one]],
                rack=self._rack[names[one]],
                host=self._host[names[one]],
            )
            for one in given
        )
        topics = []
        for name, count in self._topics.items():
            racks = self._racks.get(name, [None] * count)
            topics.append(ConsumedTopic(name, tuple(ConsumedPartition((rack,), 0, 1, 1) for rack in racks)))
        releases = (self._release, self._release)
        about = ("", "shop", None, "consumer-classic", "Stable", *releases, generation, None)
        return ConsumerSnapshot(*about, members, tuple(topics), assigned=tuple(owned[one] for one in given))

    def counted(self, answer: Case) -> tuple[int, int]:
        """The moves and the rebalances of the deploy."""
        first = answer["steps"][self.settled]["generation"]
        handed: dict[int, dict[tuple[str, int], str]] = {}
        for name, of_each in answer["handed"].items():
            for generation, owned in of_each.items():
                handed.setdefault(int(generation), {}).update(((topic, part), name.rstrip("+")) for topic, part in owned)
        reads, moves = dict(handed[first]), 0
        for generation in sorted(one for one in handed if one > first):
            moves += sum(reads.get(part, reader) != reader for part, reader in handed[generation].items())
            reads |= handed[generation]
        return moves, answer["steps"][-1]["generation"] - first


class _Replayed(ClassicConsumers):
    """With the IDs that the coordinator has made, and the order of the script."""

    def __init__(
        self, group: ConsumerSnapshot, ids: Mapping[str, str], joined: Mapping[str, tuple[object, object, object]]
    ) -> None:
        super().__init__(group, Policy(), 5)
        self._ids, self._joined = ids, joined

    def change(self, deploy: DeployKind, draw: int) -> ConsumerChange:
        events = super().change(deploy, draw).events
        if deploy is not DeployKind.RESTART:
            return ConsumerChange(tuple(self._started(events)))
        names = {one: name for name, one in self._ids.items()}
        restarts = [one for one in events if isinstance(one, RestartConsumer)]
        restarts = [
            replace(one, back=replace(one.back, member_id=self._ids[f"{names[one.member_id]}+"]))
            for one in sorted(restarts, key=lambda one: names[one.member_id])
        ]
        return ConsumerChange(in_turn([one] for one in restarts))

    def _started(self, events: Sequence[ConsumerItem]) -> Iterator[ConsumerItem]:
        names = {one: name for name, one in self._ids.items()}
        gone = [f"new-{names[one.member_id]}" for one in events if isinstance(one, RemoveConsumer)]
        new = iter(gone or [name for name in self._ids if name.startswith("new-")])
        for one in events:
            if isinstance(one, AddConsumer):
                name = next(new)
                more: Any = dict(zip(("subscription", "rack", "group_instance_id"), self._joined[name], strict=True))
                yield replace(one, consumer=replace(one.consumer, member_id=self._ids[name], **more))
            else:
                yield one


def _each(owned: list[Any]) -> Iterator[tuple[str, int]]:
    return ((topic, number) for topic, numbers in owned for number in numbers)
