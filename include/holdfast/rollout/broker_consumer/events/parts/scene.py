"""A consumer group between two targets, as its coordinator has it, and how members and topics change it.

Java: `GroupMetadataManager.consumerGroupHeartbeat`, `classicGroupJoinToConsumerGroup` and `consumerGroupFenceMembers` (4.0.0 to
4.4.0). A member that joins or subscribes otherwise raises the epoch by one, and so does each that leaves or is fenced; all of these
see topics that have changed, and else the next heartbeat does, which raises it by one. A static member that comes back in time
raises nothing. The last member of the new protocol that goes leaves a group of the classic protocol behind (`conversion`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.coordinator.consumer import migration, topic_regex
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, number_of
from holdfast.kafka.coordinator.consumer.group import Assignor, Member, Topic
from holdfast.kafka.coordinator.consumer.release import Behaviour
from holdfast.rollout.coordinated import roster
from holdfast.rollout.coordinated.roster import Roster, quoted
from holdfast.rollout.text.format import some_of


@dataclass(frozen=True, slots=True)
class Back:
    """A consumer that comes back as a new member, and whose place it had."""

    old: str
    new: Member


@dataclass(frozen=True, slots=True)
class Conversion:
    """The group has become one of the classic protocol. `rebalances`: at once; else its members keep what they have. `fresh`: the
    member that has joined with it, if one has."""

    rebalances: bool
    fresh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Roster[Member]):
    """What each member had is set when a target is computed.

    `grown`: topics that members are subscribed to have changed since the last heartbeat; `asked`: most of them ask for another
    assignor since then, where that raises the epoch. `away`: consumers that have left and come back; `late`: those that do once
    their sessions are over. `led`: it is a classic group, and its leader assigns; `conversion`: it has become one.
    """

    release: str
    facts: Behaviour
    assignor: Assignor
    topics: tuple[Topic, ...]
    grown: bool = False
    asked: bool = False
    away: tuple[Back, ...] = ()
    late: tuple[Back, ...] = ()
    led: bool = False
    conversion: Conversion | None = None

    @property
    def still_classic(self) -> bool:
        """Whether its coordinator has assigned nothing yet."""
        return self.led and self.conversion is None

    @property
    def unseen(self) -> bool:
        """Whether the next heartbeat raises the epoch by what it sees."""
        return self.grown or self.asked

    @property
    def joins_compute(self) -> bool:
        """Whether the heartbeat with which the last member has joined computes a target, however recent the last one is."""
        joined = bool(self.moves) and self.moves[-1][1]
        held_back = self.facts.has_interval and number_of(dict(self.config), ASSIGNMENT_INTERVAL) and not self.forgotten
        return joined and not held_back

    def computes(self) -> bool:
        """Whether a member computes a target that is due, with a heartbeat or with its join. From 4.3 on members of the classic
        protocol hear of targets only: in a group of these a target waits for a member that joins.

        Raise CannotPredict where it makes members of the classic protocol fail."""
        living = [one for _, one in self.living()]
        classic = sum(one.classic for one in living)
        if classic and migration.refuses_classic(self.release, dict(self.config)):
            raise CannotPredict(
                f"config.{migration.POLICY}: the brokers refuse members of the classic protocol in this group from the next target"
                f" on, and it has {classic}: set it to bidirectional before the group changes"
            )
        joined = bool(self.moves) and self.moves[-1][1]
        return classic < len(living) or bool(living and (joined or self.facts.classic_members_compute))

    def resolved(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The topics that each regular expression of a member matches."""
        names = [one.name for one in self.topics]
        regexes = dict.fromkeys(one.regex for one in self.members.values() if one.regex)
        return tuple((regex, topic_regex.matching(regex, names)) for regex in regexes)


def member_of(scene: Scene, member_id: str, field: str = "member_id") -> Member:
    """One that runs. Raise InvalidInput where it is not there."""
    _refuse_classic(scene)
    living = dict(scene.living())
    if member_id not in living:
        there = some_of([quoted(one) for one in living])
        raise InvalidInput(f"the member {quoted(member_id)} is not in the group then; there are: {there}", field)
    return living[member_id]


def joined(scene: Scene, new: Member, field: str = "member_id") -> Scene:
    """A member joins, with nothing. Its heartbeat sees changed topics."""
    if scene.conversion is not None and new.classic:
        return replace(scene, members=scene.members | {new.member_id: new}, due=scene.led)
    _refuse_classic(scene)
    if new.member_id in scene.members:
        raise InvalidInput(f"the member ID {quoted(new.member_id)} is in the group already; give one that is not", field)
    if new.instance_id is not None and new.instance_id in scene.instances.values():
        raise InvalidInput(
            f"the instance ID {quoted(new.instance_id)} is in the group already: its coordinator refuses it until the session of"
            " that member is over",
            "instance_id",
        )
    if new.classic and not scene.members:  # what there was of the group is deleted
        return replace(_left_to_a_leader(scene), conversion=Conversion(rebalances=True))
    _refuse_unresolved(scene, new)
    instances = {} if new.instance_id is None else {new.member_id: new.instance_id}
    return replace(
        roster.raised(scene),
        members=scene.members | {new.member_id: new},
        instances=scene.instances | instances,
        moves=(*scene.moves, (new.member_id, True)),
        grown=False,
        asked=False,
        forgotten=scene.forgotten or (not scene.members and scene.facts.interval_ends_when_empty),
    )


def _refuse_unresolved(scene: Scene, new: Member) -> None:
    if new.regex and all(one.regex != new.regex for one in scene.members.values()):
        raise CannotPredict(
            f"no other member has the regular expression {quoted(new.regex)} when one joins with it: its coordinator resolves it in"
            " the background, and whether a target is computed before that, without its topics, is a matter of time"
        )


def gone(scene: Scene, member_ids: tuple[str, ...]) -> Scene:
    """These leave, or their sessions are over. A group that is or becomes classic by it has its epoch for a generation, and its
    leader's next rebalance raises it."""
    left = {name: one for name, one in scene.instances.items() if name not in member_ids}
    after = replace(roster.gone(scene, member_ids), instances=left, grown=False)
    if scene.led:
        return replace(after, epoch=scene.epoch)
    if after.members and all(one.classic for one in after.members.values()):
        return _converted(after, scene.epoch, rebalances=True)
    return after


def _converted(scene: Scene, epoch: int | None, *, rebalances: bool, fresh: tuple[str, ...] = ()) -> Scene:
    """Only members of the classic protocol are left. From here on its leader assigns, if the brokers let the group convert.
    `epoch`: before that."""
    if not migration.becomes_classic(dict(scene.config), len(scene.members)):
        return scene
    return replace(_left_to_a_leader(scene), epoch=epoch, conversion=Conversion(rebalances, fresh))


def _left_to_a_leader(scene: Scene) -> Scene:
    """No coordinator computes any more."""
    return replace(scene, due=False, table=scene.table.after(scene.moves), moves=(), dead=(), late=(), replaced=())


def _refuse_classic(scene: Scene) -> None:
    """Raise CannotPredict where no coordinator assigns any more."""
    if scene.conversion is not None:
        raise CannotPredict(
            "the group is of the classic protocol from there on, and its leader assigns, not its coordinator: end the change there,"
            " and forecast what follows from a snapshot of the classic group"
        )


def took_its_place(scene: Scene, old: Member, new: Member, field: str) -> Scene:
    """A static member is back within its session: it has its target and its partitions, under another member ID."""
    _refuse_classic(scene)
    if new.member_id in scene.members:
        raise InvalidInput(f"the member ID {quoted(new.member_id)} is in the group already; give one that is not", field)
    _refuse_unresolved(scene, new)
    changes = scene.unseen or set(new.subscription) != set(old.subscription) or new.regex != old.regex
    members = {name: one for name, one in scene.members.items() if name != old.member_id}
    instances = {name: one for name, one in scene.instances.items() if name != old.member_id}
    after = replace(
        roster.raised(scene, int(changes)),
        members=members | {new.member_id: new},
        instances=instances | {new.member_id: new.instance_id or ""},
        moves=(*scene.moves, (old.member_id, False), (new.member_id, True)),
        heirs=(*scene.heirs, (new.member_id, old.member_id)),
        replaced=(*scene.replaced, (new.member_id, old.member_id)) if scene.facts.map_has_both else (),
        dead=tuple(tuple(one for one in group if one != old.member_id) for group in scene.dead),
        grown=False,
        asked=False,
    )
    if new.classic and not old.classic and all(one.classic for one in after.members.values()):
        otherwise = set(new.subscription) != set(old.subscription) or new.regex != old.regex
        if after.due and not otherwise and not scene.facts.stale_group_rebalances:
            raise CannotPredict(
                "the last consumer of the new protocol hands its place over while a target is due: up to Kafka 4.2 it depends on"
                ' the leader whether the classic group rebalances. Let it come after {"then": "target"}'
            )
        # up to 4.1.0 the coordinator does not make it: the member's SyncGroup is refused, and it joins anew
        return _converted(after, scene.epoch, rebalances=after.due, fresh=(new.member_id,))
    return after


def topic_of(scene: Scene, name: str) -> Topic:
    found = next((one for one in scene.topics if one.name == name), None)
    if found is None:
        there = some_of([quoted(one.name) for one in scene.topics])
        raise InvalidInput(f"the topic {quoted(name)} does not exist then; there are: {there}", "topic")
    return found


def changed(scene: Scene, topics: tuple[Topic, ...], topic: str) -> Scene:
    """The topics are these; `topic` is the one that has changed. Others than those of members are not looked at."""
    _refuse_classic(scene)
    return replace(scene, topics=topics, grown=scene.grown or any(_names(scene, topic)))


def _names(scene: Scene, topic: str) -> Iterator[bool]:
    for one in scene.members.values():
        yield topic in one.subscription
        yield bool(one.regex) and topic in topic_regex.matching(one.regex or "", [topic])
