"""`set_assignors`: consumers restart with another partition.assignment.strategy."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import new_consumer
from holdfast.rollout.consumer.events.parts.new_consumer import WITHIN_REBALANCE, NewConsumer
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json import shapes
from holdfast.rollout.json.classic_members import ASSIGNORS
from holdfast.rollout.json.codec import NAME, table
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text.format import listed, many
from holdfast.rollout.text.request_words import short


def _each_once(member_ids: tuple[tuple[str, str], ...]) -> None:
    if not member_ids:
        raise InvalidInput("one member or more is needed, its ID and the one that it has after its restart; none was found")
    if len(dict.fromkeys(new for _, new in member_ids)) < len(member_ids):
        raise InvalidInput("two members cannot come back under one ID")


_MEMBER_IDS = table(NAME, NAME).checked(_each_once).shaped(shapes.table(shapes.name(), shapes.name(), at_least=1))


@contextmanager
def _located(old: str) -> Iterator[None]:
    """Errors name the member that they are about."""
    try:
        yield
    except InvalidInput as problem:
        raise InvalidInput(problem.problem, f"member_ids.{old}" if old.isprintable() else "member_ids") from None


@record(about="These members restart with that list.")
class SetAssignors(ConsumerEvent):
    """These members restart with another list: `member_ids`: the old ID and the new one of each, in the order of return."""

    assignors: tuple[Assignor, ...] = member(ASSIGNORS)
    member_ids: tuple[tuple[str, str], ...] = member(_MEMBER_IDS, "The old ID and the new one.")
    within_rebalance: bool | None = member(WITHIN_REBALANCE, default=None, omit=True)

    VERB = "set_assignors"
    ACTIONS = (ActionName.SET_CONFIG,)

    def sentence(self, name: Name) -> str:
        names = ", ".join(name(old) for old, _ in self.member_ids)
        fast = new_consumer.BACK_SOON if self.within_rebalance else ""
        return f"restart {names} with the assignors {', '.join(one.value for one in self.assignors)}{fast}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002 - as every event
        lists = short(", ".join(one.value for one in self.assignors))
        return "set", f"{lists} as assignors of {many(len(self.member_ids), 'consumer')}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        names = listed([new_consumer.known_in_a_step(old, hosts) for old, _ in self.member_ids])
        lists = ",".join(map(str, self.assignors))
        says = f"Restart {names} with partition.assignment.strategy={lists}"
        return StepWords(says, "", "Restart it with its previous list.")

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        for old, new in self.member_ids:
            new_one = NewConsumer(new, assignors=self.assignors)
            with _located(old):
                stopped = new_consumer.stopped(scene, old, self.within_rebalance)
                scene = new_consumer.restarted(scene, old, new_one, "") if stopped is None else stopped
        return scene

    def returned(self, scene: Scene) -> Scene:
        for old, new in self.member_ids:
            with _located(old):
                scene = new_consumer.back(scene, old, NewConsumer(new, assignors=self.assignors), "", "group_instance_id")
        return scene

    def as_processes_start(self) -> Self:
        return replace(self, within_rebalance=False) if self.within_rebalance is None else self

    def back_before_others(self) -> Self:
        return replace(self, within_rebalance=True) if self.within_rebalance is False else self

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return self.member_ids

    def renamed(self) -> tuple[tuple[str, str], ...]:
        return self.member_ids

    def with_ids(self, known: Name, joins: Name) -> Self:
        olds = [known(old) for old, _ in self.member_ids]
        return replace(self, member_ids=tuple(zip(olds, (joins(new) for _, new in self.member_ids), strict=True)))

    def restarts(self) -> int:
        return len(self.member_ids)
