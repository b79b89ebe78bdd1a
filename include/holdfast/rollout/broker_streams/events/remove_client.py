"""`remove_client`: a client ends permanently: it leaves, or it ends without leaving. Static members that are closed do not leave
unless `leaves_group` says so: they stay until their session is over."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts import static, words
from holdfast.rollout.broker_streams.events.parts.fields import APART, LEAVES, LEAVES_GROUP, fits_leaving
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words, roster
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record


def _fits_together(event: "RemoveClient") -> None:
    fits_leaving(event.leaves, event.leaves_group)


@record(check=_fits_together, defaults=True)
class RemoveClient(BrokerEvent):
    process_id: str = member(NAME)
    leaves: bool = member(LEAVES, default=True, omit=True)
    leaves_group: bool = member(LEAVES_GROUP, default=False, omit=True)
    apart: tuple[tuple[str, ...], ...] = member(APART, default=(), omit=True)

    VERB = "remove_client"

    ACTIONS = (ActionName.STOP_CLIENT,)

    def sentence(self, name: Name) -> str:
        return f"remove {name(self.process_id)}{event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)}"

    def title(self, name: Name) -> tuple[str, str]:
        return "remove", name(self.process_id)

    def step(self, of: StepOf) -> StepWords:
        says = f"Stop {of.name(self.process_id)}{event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)}"
        undo, shows = "Start it again, with its state directory.", words.members(of.group_id)
        return StepWords(says, "", undo, words.NOT_LISTED, check_command=shows)

    def stops(self) -> tuple[str, ...]:
        return (self.process_id,)

    def unnoticed(self) -> bool:
        return not self.leaves

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def gone_apart(self, groups: tuple[tuple[str, ...], ...]) -> Self:
        return replace(self, apart=groups)

    def applied(self, scene: Scene) -> Scene:
        found = scenes.members_of(scene, self.process_id)
        groups = scenes.groups_of(found, self.apart)
        stays = not self.leaves or static.stays(scene, found, leaves_group=self.leaves_group)
        return roster.ended(scene, found, groups) if stays else scenes.gone_apart(scene, groups)
