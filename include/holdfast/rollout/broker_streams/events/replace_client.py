"""`replace_client`: a client leaves, and another one is started in its place, before the coordinator computes a target."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import clients, static, words
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.fields import EMPTY, LEAVES_GROUP, STATE, DiskState
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.coordinated import event_words, roster
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import codec_of, member, record


@record(defaults=True)
class ReplaceClient(BrokerEvent):
    """`state`: what the new client finds on its disk."""

    process_id: str = member(NAME)
    by: NewClient = member(codec_of(NewClient), "Without threads and member IDs it has as many threads as the old client.")
    state: DiskState = member(STATE, default=EMPTY, omit=True)
    leaves_group: bool = member(LEAVES_GROUP, default=False, omit=True)

    VERB = "replace_client"

    ACTIONS = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)

    def sentence(self, name: Name) -> str:
        return f"replace {name(self.process_id)} by {words.newcomer(self.by)}{words.disk(self.state, name)}{self._leaving}"

    def title(self, name: Name) -> tuple[str, str]:
        return "replace", f"{name(self.process_id)} by {words.short_newcomer(self.by)}"

    def step(self, of: StepOf) -> StepWords:
        old, new = of.name(self.process_id), words.newcomer(self.by)
        says = f"Stop {old}{self._leaving} and start {new} instead, within {of.interval_ms / 1000:g} s of the newest target"
        says = f"{says}{words.disk(self.state, of.name)}"
        return StepWords(
            says,
            event_words.fresh_target(of),
            "Stop the new client and start the old one again.",
            words.LISTED,
            check_command=words.members(of.group_id),
        )

    @property
    def _leaving(self) -> str:
        return event_words.how_it_ends(leaves=True, leaves_group=self.leaves_group)

    def stops(self) -> tuple[str, ...]:
        return (self.process_id,)

    def host(self) -> str | None:
        return self.by.host

    def in_interval(self) -> bool:
        return True

    def copies_disk(self) -> bool:
        return self.state.copied_from is not None

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def applied(self, scene: Scene) -> Scene:
        found = scenes.members_of(scene, self.process_id)
        stays = static.stays(scene, found, leaves_group=self.leaves_group)
        left = roster.ended(scene, found) if stays else scenes.gone(scene, found)
        return clients.started(left, self.by, "by.")

    def comes(self) -> tuple[NewClient, str | None] | None:
        return self.by, self.process_id

    def drawn(self, client: NewClient) -> Self:
        return replace(self, by=client)

    def copied_disks(self) -> tuple[tuple[str, str], ...]:
        source = self.process_id if self.state.disk is Disk.KEPT else self.state.copied_from
        return () if source is None or self.by.process_id is None else ((self.by.process_id, source),)

    def lost_disks(self) -> tuple[str, ...]:
        return (self.process_id,) if self.state.disk is Disk.EMPTY and self.by.process_id == self.process_id else ()
