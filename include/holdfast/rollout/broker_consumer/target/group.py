"""From a Snapshot to the group as its coordinator sees it. What a target depends on and the Snapshot does not show is refused."""

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.coordinator.consumer import topic_regex
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, MemberType, Topic, by_topic
from holdfast.kafka.coordinator.consumer.release import RELEASES
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.json import strict


def group_of(snapshot: BrokerConsumerSnapshot) -> Group:
    """Raise CannotPredict where what decides is unknown, Unsupported for an assignor or a regular expression that is not
    covered."""
    release = snapshot.broker_release
    if release is None:
        raise CannotPredict(
            f"broker_release: the release of the group's coordinator decides, and is unknown; give one of {', '.join(RELEASES)}"
        )
    _refuse_unknown(snapshot)
    assignor = _assignor(snapshot.assignor)
    return Group(
        release=release,
        assignor=assignor,
        members=tuple(_member(one, assignor) for one in snapshot.members),
        topics=tuple(Topic(one.name, one.id, len(one.partitions)) for one in snapshot.topics),
        resolved=_resolved(snapshot),
    )


def _refuse_unknown(snapshot: BrokerConsumerSnapshot) -> None:
    """What could not be read, and decides."""
    subscribed = {f"topics.{strict.step_of(topic)}" for one in snapshot.members for topic in one.subscription}
    for one in snapshot.unknown:
        if one.what == "members" or one.what.startswith("members."):
            raise CannotPredict(
                f"{one.what} could not be read ({one.reason}); a target depends on all members. Collect the group again"
            )
        if one.what == "topics" or one.what in subscribed:
            raise CannotPredict(
                f"{one.what} could not be read ({one.reason}); a target depends on the topics that members are subscribed to. "
                "Collect the group again"
            )


def _assignor(name: str | None) -> Assignor:
    known = ", ".join(map(repr, map(str, Assignor)))
    if name is None:
        raise CannotPredict(f"assignor: the group's assignor decides, and is unknown; give one of {known}")
    try:
        return Assignor(name)
    except ValueError:
        raise Unsupported(f"assignor: the assignor {strict.shown(name)} is not covered; {known} are") from None


def _member(one: BrokerConsumer, assignor: Assignor) -> Member:
    if one.target is None and assignor is Assignor.UNIFORM:
        raise CannotPredict(
            f"members.{strict.step_of(one.member_id)}.target is unknown; the assignor {assignor} keeps what it can of it. "
            "Collect the group again"
        )
    return Member(
        member_id=one.member_id,
        subscription=one.subscription,
        regex=one.subscription_regex or None,
        instance_id=one.instance_id,
        target=by_topic(one.target or ()),
        classic=one.member_type == MemberType.CLASSIC,
        assignors=tuple(map(str, one.assignors)),
        rack=one.rack,
    )


def _resolved(snapshot: BrokerConsumerSnapshot) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The topics that each regular expression matches: among those of the Snapshot, which are all that it could match."""
    found: dict[str, tuple[str, ...]] = {}
    topics = [topic.name for topic in snapshot.topics]
    for one in snapshot.members:
        regex = one.subscription_regex
        if not regex or regex in found:
            continue
        where = f"members.{strict.step_of(one.member_id)}.subscription_regex"
        try:
            found[regex] = topic_regex.matching(regex, topics)
        except InvalidInput as problem:
            raise problem.within(where) from None
        except Unsupported as problem:
            raise Unsupported(f"{where}: {problem}") from None
    return tuple(found.items())
