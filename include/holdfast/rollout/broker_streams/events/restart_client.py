"""`restart_client`: a client is stopped and started again, with new members: every start makes new member IDs."""

from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.parts import clients, fields, new_client, static, words
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.fields import APART, LEAVES, LEAVES_GROUP
from holdfast.rollout.broker_streams.events.parts.new_client import FIRST_ALONE, MEMBER_IDS, NEW_PROCESS_ID, NewClient, threads_fit
from holdfast.rollout.broker_streams.events.parts.scene import Late, Scene
from holdfast.rollout.broker_streams.events.returning import Returning
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words, roster
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import BOOLEAN, NAME, nullable
from holdfast.rollout.json.kafka_codecs import THREADS
from holdfast.rollout.json.record import member, record


def _fits_together(event: "RestartClient") -> None:
    if event.keeps_process_id and event.new_process_id not in (None, event.process_id):
        raise InvalidInput("a client that keeps its process ID takes no new one: set keeps_process_id to false", "new_process_id")
    threads_fit(NewClient(threads=event.threads, member_ids=event.member_ids))
    fields.needs_to_leave(event.leaves, event.within_interval)
    fields.fits_leaving(event.leaves, event.leaves_group)
    if event.within_interval and event.apart:
        raise InvalidInput("a client that is back before the next target has no target between its threads", "apart")
    if event.leaves_group and not event.within_session:
        raise InvalidInput("a client that leaves the group has no session to wait for: leave one of the two out", "leaves_group")
    if event.within_interval and not event.within_session:
        raise InvalidInput("a client that is back within the assignment interval is back within its session", "within_session")


@record(check=_fits_together, defaults=True)
class RestartClient(Returning):
    """`new_process_id` None with `keeps_process_id` false: a new random one. `within_session` and `leaves` of static members: they
    stay in the group, and come back within their session, or once it is over."""

    process_id: str = member(NAME)
    leaves: bool = member(LEAVES, default=True, omit=True)
    within_interval: bool = member(
        BOOLEAN.described("True: it leaves and is back before the coordinator computes the next target."), default=False, omit=True
    )
    keeps_process_id: bool = member(BOOLEAN, default=True, omit=True)
    keeps_state: bool = member(BOOLEAN, default=True, omit=True)
    new_process_id: str | None = member(NEW_PROCESS_ID, default=None, omit=True)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)
    first_thread_alone: bool | None = member(FIRST_ALONE, default=None, omit=True, unsaid=True)
    within_session: bool = member(
        BOOLEAN.described("Of static members. False: their sessions are over before they come back."), default=True, omit=True
    )
    becomes_static: bool = member(
        BOOLEAN.described("True: it comes back with a group.instance.id for each thread (from 4.4 on)."), default=False, omit=True
    )

    leaves_group: bool = member(LEAVES_GROUP, default=False, omit=True)
    apart: tuple[tuple[str, ...], ...] = member(APART, default=(), omit=True)

    VERB = "restart_client"

    ACTIONS = (ActionName.RESTART_CLIENT,)

    def sentence(self, name: Name) -> str:
        within = ("within the assignment interval",) if self.within_interval else ()
        return f"restart {name(self.process_id)}{event_words.given((*within, *self._given()))}"

    def title(self, name: Name) -> tuple[str, str]:
        return "restart", name(self.process_id)

    def _given(self) -> tuple[str, ...]:
        """What differs from a usual restart, besides its time."""
        new = "a new random process ID" if self.new_process_id is None else f"the process ID {self.new_process_id}"
        found = (
            (not self.leaves, "without leaving"),
            (not self.keeps_process_id, f"back with {new}"),
            (not self.keeps_state, "with an empty state directory"),
            (self.threads is not None, f"with {self.threads} threads"),
            (not self.within_session, "back after its session is over"),
            (self.becomes_static, "with a group.instance.id"),
            (self.leaves_group, event_words.LEAVES_GROUP),
        )
        return tuple(text for is_so, text in found if is_so)

    def step(self, of: StepOf) -> StepWords:
        within = (f"within {of.interval_ms / 1000:g} s of the newest target",) if self.within_interval else ()
        says = f"Restart {of.name(self.process_id)}{event_words.given((*within, *self._given()))}"
        before = event_words.fresh_target(of) if self.within_interval else ""
        if self.new_process_id is not None:
            seed = f"While it is stopped, write {self.new_process_id} into its kafka-streams-process-metadata."
            before = f"{before} {seed}".strip()
        if self.becomes_static:
            before = f"{before} Give it a group.instance.id that no other client of the group has.".strip()
        return StepWords(says, before, "Restart it as it was before.", words.LISTED, check_command=words.members(of.group_id))

    def stops(self) -> tuple[str, ...]:
        return (self.process_id,)

    def restarts(self) -> bool:
        return True

    def seeds(self) -> bool:
        return self.new_process_id is not None

    def becomes_instances(self) -> bool:
        return self.becomes_static

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def in_interval(self) -> bool:
        return self.within_interval

    def taken_within_interval(self) -> Self:
        return replace(self, within_interval=True) if self.leaves and not self.apart else self

    def unnoticed(self) -> bool:
        return not self.leaves

    def gone_apart(self, groups: tuple[tuple[str, ...], ...]) -> Self:
        return replace(self, apart=groups)

    def applied(self, scene: Scene) -> Scene:
        found = scenes.members_of(scene, self.process_id)
        groups = scenes.groups_of(found, self.apart)
        if static.stays(scene, found, leaves_group=self.leaves_group):
            return self._stopped(roster.ended(scene, found, groups), found)
        if not self.leaves:
            return self._started(roster.ended(scene, found, groups))
        left = scenes.gone_apart(scene, groups)
        return self._started(left) if self.within_interval else left

    def returned(self, scene: Scene) -> Scene:
        stopped = self._static_in(scene)
        if stopped:
            return self._back(scene, stopped) if self.leaves and self.within_session else scene
        return self._started(scene) if self.leaves and not self.within_interval else scene

    def _stopped(self, scene: Scene, members: tuple[str, ...]) -> Scene:
        """Static members: nothing is computed without them before their session is over."""
        if self.within_interval:
            return self._back(scene, members)
        if self.leaves and self.within_session:
            return scene
        process_id, member_ids = new_client.ids(self._client())
        return replace(scene, late=(*scene.late, Late(members, process_id, member_ids)))

    def _static_in(self, scene: Scene) -> tuple[str, ...]:
        """Its static members that are stopped."""
        away = {one for group in scene.dead for one in group}
        return tuple(
            one.member_id
            for one in scene.members.values()
            if one.process_id == self.process_id and one.member_id in away and one.member_id in scene.instances
        )

    def _back(self, scene: Scene, stopped: tuple[str, ...]) -> Scene:
        return static.returned(scene, stopped, *new_client.ids(self._client()))

    def _started(self, scene: Scene) -> Scene:
        after = clients.started(scene, self._client(), "new_" if self.new_process_id is not None else "")
        return static.became(after, new_client.ids(self._client())[1]) if self.becomes_static or self.leaves_group else after
