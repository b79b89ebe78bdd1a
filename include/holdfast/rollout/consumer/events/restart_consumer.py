"""`restart_consumer`: a consumer is stopped and started again, with what it had or with what is given."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import new_consumer
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.new_consumer import WITHIN_REBALANCE, NewConsumer
from holdfast.rollout.consumer.events.parts.scene import Scene, quoted
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import INHERITED
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.json.codec import BOOLEAN, NAME, Codec, nullable
from holdfast.rollout.json.record import codec_of, member, record, spread


def _unchanged_within_session(restarted: "_Restarted") -> None:
    changed = [one for one in ("assignors", "subscription", "group_instance_id") if getattr(restarted.given, one) is not INHERITED]
    if restarted.within_session and changed:
        raise InvalidInput(
            f"a consumer that returns without a rebalance returns unchanged; leave {', '.join(changed)} out", "within_session"
        )
    if restarted.within_session and restarted.within_rebalance is not None:
        raise InvalidInput("a consumer that returns without a rebalance returns within none; leave it out", "within_rebalance")


@record(check=_unchanged_within_session, about="What is not given stays.")
class _Restarted:
    """The JSON of a `RestartConsumer`. `given`: as `back`, whose ID is written only where it is a new one."""

    member_id: str = member(NAME)
    new_member_id: str | None = member(nullable(NAME), absent=None, omit=True)
    within_session: bool = member(BOOLEAN, absent=False, omit=True)
    within_rebalance: bool | None = member(WITHIN_REBALANCE, absent=None, omit=True)
    given: NewConsumer = spread(new_consumer.UNNAMED)


@dataclass(frozen=True, slots=True)
class RestartConsumer(ConsumerEvent):
    """`back`: the consumer as it comes back, maybe under the member ID that it had.

    `within_session`: it is static and returns before its session times out, so that no rebalance happens: it gets the assignment
    that the broker has of it. `within_rebalance`: of a dynamic one, which leaves when it is closed: whether it is back before the
    other members have joined; None: it is not given.
    """

    member_id: str
    back: NewConsumer
    within_session: bool = False
    within_rebalance: bool | None = None

    VERB = "restart_consumer"
    ACTIONS = (ActionName.RESTART_CLIENT,)

    @classmethod
    def codec(cls) -> Codec[Self]:
        return codec_of(_Restarted).to(cls._of, cls._as_json)

    @classmethod
    def _of(cls, found: _Restarted) -> Self:
        back = replace(found.given, member_id=found.new_member_id or found.member_id)
        return cls(found.member_id, back, found.within_session, found.within_rebalance)

    def _as_json(self) -> _Restarted:
        new_id = None if self.back.member_id == self.member_id else self.back.member_id
        return _Restarted(self.member_id, new_id, self.within_session, self.within_rebalance, self.back)

    def sentence(self, name: Name) -> str:
        under = "" if self.back.member_id == self.member_id else f", back as {self.back.member_id}"
        soon = ", within its session" if self.within_session else ""
        fast = new_consumer.BACK_SOON if self.within_rebalance else ""
        return f"restart {name(self.member_id)}{under}{new_consumer.given(self.back)}{soon}{fast}"

    def title(self, name: Name) -> tuple[str, str]:
        return "restart", name(self.member_id)

    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        soon = ", within its session timeout" if self.within_session else ""
        says = f"Restart {new_consumer.known_in_a_step(self.member_id, hosts)}{soon}"
        return StepWords(says, new_consumer.commits(self.member_id, hosts), "Restart it as it was before.")

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:
        if self.within_session:
            return self._returned(scene, config)
        stopped = new_consumer.stopped(scene, self.member_id, self.within_rebalance)
        if stopped is not None:
            return stopped
        return new_consumer.restarted(scene, self.member_id, self.back, "new_member_id")

    def returned(self, scene: Scene) -> Scene:
        return new_consumer.back(scene, self.member_id, self.back, "new_member_id", "group_instance_id")

    def as_processes_start(self) -> Self:
        return replace(self, within_rebalance=False) if self.within_rebalance is None and not self.within_session else self

    def back_before_others(self) -> Self:
        return replace(self, within_rebalance=True) if self.within_rebalance is False else self

    def _returned(self, scene: Scene, config: ConsumerConfig) -> Scene:
        """A static member is back in time: it runs what it ran, under a new member ID, and remembers that."""
        old = scenes.member_of(scene, self.member_id)
        if old.group_instance_id is None:
            raise InvalidInput(
                f"{quoted(self.member_id)} has no group.instance.id: a dynamic member joins again with a rebalance",
                "within_session",
            )
        session_s = config.session_timeout_ms / 1000
        note = (
            f"The partitions of {quoted(old.group_instance_id)} are unavailable until it returns, up to {session_s:g} s; that time"
            " is unknown and not counted."
        )
        scene = replace(scene, notes=(*scene.notes, Note(NoteKind.RETURN, note)))
        new = replace(new_consumer.made(self.back, old), owned=old.owned, owned_generation=old.owned_generation)
        leads = new.member_id if scene.leader_member_id == self.member_id else scene.leader_member_id
        if new.member_id == self.member_id:
            return replace(scene, members=tuple(new if one is old else one for one in scene.members))
        joined = scenes.joined(scenes.without(scene, old), new, "new_member_id", "group_instance_id")
        return replace(joined, leader_member_id=leads)

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((self.member_id, self.back.member_id),)

    def renamed(self) -> tuple[tuple[str, str], ...]:
        return ((self.member_id, self.back.member_id),)

    def joining(self) -> NewConsumer | None:
        return self.back

    def with_ids(self, known: Name, joins: Name) -> Self:
        return replace(self, member_id=known(self.member_id), back=replace(self.back, member_id=joins(self.back.member_id)))

    def returns_unseen(self) -> bool:
        return self.within_session

    def restarts(self) -> int:
        return 1
