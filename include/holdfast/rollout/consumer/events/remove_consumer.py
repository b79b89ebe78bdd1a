"""`remove_consumer`: a consumer is gone permanently: it leaves, it ends without leaving, or it no longer polls."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import new_consumer, timing
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene, quoted
from holdfast.rollout.consumer.events.parts.timing import Departure
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.json.codec import BOOLEAN, NAME, Codec
from holdfast.rollout.json.record import codec_of, member, record

_IN_WORDS = {
    Departure.LEAVES: "which leaves the group",
    Departure.CRASHES: "which ends without leaving",
    Departure.HANGS: "which no longer polls",
}


def _one_of_both(removed: "_Removed") -> None:
    if removed.hangs and removed.leaves is not None:
        raise InvalidInput("`hangs` and `leaves` cannot be combined: give one of them", "hangs")


@record(check=_one_of_both)
class _Removed:
    """The JSON of a `RemoveConsumer`."""

    member_id: str = member(NAME)
    leaves: bool | None = member(BOOLEAN, "False: it ends without leaving.", default=None, omit=True)
    hangs: bool = member(BOOLEAN, "It no longer calls poll.", default=False, omit=True)

    @property
    def departure(self) -> Departure:
        return Departure.HANGS if self.hangs else Departure.CRASHES if self.leaves is False else Departure.LEAVES


_IN_JSON: dict[Departure, dict[str, bool]] = {
    Departure.LEAVES: {},
    Departure.CRASHES: {"leaves": False},
    Departure.HANGS: {"hangs": True},
}


@dataclass(frozen=True, slots=True)
class RemoveConsumer(ConsumerEvent):
    member_id: str
    departure: Departure = Departure.LEAVES

    VERB = "remove_consumer"
    ACTIONS = (ActionName.STOP_CLIENT,)

    @classmethod
    def codec(cls) -> Codec[Self]:
        return codec_of(_Removed).to(
            lambda removed: cls(removed.member_id, removed.departure),
            lambda event: _Removed(event.member_id, **_IN_JSON[event.departure]),
        )

    def sentence(self, name: Name) -> str:
        return f"remove {name(self.member_id)}, {_IN_WORDS[self.departure]}"

    def title(self, name: Name) -> tuple[str, str]:
        return "remove", name(self.member_id)

    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        return StepWords(
            f"Stop {new_consumer.known_in_a_step(self.member_id, hosts)}",
            new_consumer.commits(self.member_id, hosts),
            "Start it again.",
            "It is no longer in the group's member list.",
        )

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:
        gone = scenes.member_of(scene, self.member_id)
        scene = scenes.without(scene, gone)
        if self.departure is not Departure.LEAVES:
            noticed = max(scene.noticed_s, timing.noticed_s(gone, self.departure, config))
            return replace(scene, noticed_s=noticed, abrupt=(*scene.abrupt, gone.member_id))
        if gone.group_instance_id is None:
            return scene
        note = (
            f"{quoted(gone.member_id)} is static: it does not leave the group when it is closed. Unless it is removed manually"
            f" (removeMembersFromConsumerGroup), the group rebalances only when its session times out, after"
            f" {config.session_timeout_ms / 1000:g} s: set leaves to false for that."
        )
        return replace(scene, notes=(*scene.notes, Note(NoteKind.STATIC_STAYS, note)))

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((self.member_id, None),)

    def with_ids(self, known: Name, joins: Name) -> Self:  # noqa: ARG002 - as every event
        return replace(self, member_id=known(self.member_id))
