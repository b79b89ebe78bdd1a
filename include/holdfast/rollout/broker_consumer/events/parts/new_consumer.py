"""The consumers that an event brings."""

from dataclasses import replace
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.coordinator.consumer.group import Member, MemberType
from holdfast.rollout.contract.batches import INHERITED, FromOld
from holdfast.rollout.json.classic_members import ASSIGNORS
from holdfast.rollout.json.codec import NAME, TEXT, either, nullable
from holdfast.rollout.json.consumed_topics import SUBSCRIPTION
from holdfast.rollout.json.record import gathered, member, record, variant

T = TypeVar("T")
MEMBER_ID = nullable(NAME).described("Left out: a new random one, as every start makes it.")

_LISTED = ASSIGNORS.described("Of the classic protocol: its partition.assignment.strategy.")


@record
class NewConsumer:
    """A consumer that joins, with nothing. `member_id` None: a new random one. INHERITED: as the consumer whose
    place it takes."""

    member_id: str | None = member(MEMBER_ID, default=None, omit=True)
    subscription: tuple[str, ...] | FromOld = member(SUBSCRIPTION, default=INHERITED, omit=True)
    subscription_regex: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True)
    instance_id: str | FromOld | None = member(nullable(NAME), default=INHERITED, omit=True)
    client_id: str | FromOld = member(TEXT, default=INHERITED, omit=True)
    host: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True)
    rack: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True)
    member_type: MemberType | FromOld = member(
        either(MemberType).described("The protocol that it uses."), default=INHERITED, omit=True
    )
    assignors: tuple[Assignor, ...] | FromOld = member(_LISTED, default=INHERITED, omit=True)


def _subscribed(one: NewConsumer) -> None:
    if not one.subscription and not one.subscription_regex:
        raise InvalidInput("a consumer that is added needs topics, or a regular expression, to subscribe to", "subscription")


ADDED = variant(
    NewConsumer,
    subscription=(),
    subscription_regex=None,
    instance_id=None,
    client_id="",
    host=None,
    rack=None,
    member_type=MemberType.CONSUMER,
    assignors=member(_LISTED, default=(), omit=lambda one: one.assignors in ((), INHERITED)),
    check=_subscribed,
)
"""One that is added inherits nothing."""
UNNAMED = variant(
    NewConsumer, member_id=gathered(lambda _: None, default=None), member_type=gathered(lambda _: INHERITED, default=INHERITED)
)
"""A new consumer whose member ID, and whose protocol, are declared elsewhere."""


def made(new: NewConsumer, old: Member | None) -> Member:
    """The member as it joins. Without an `old` one every property is given; its ID is given in any case."""
    like = old or Member("")
    classic = _taken_over(new.member_type, MemberType.CLASSIC if like.classic else MemberType.CONSUMER) is MemberType.CLASSIC
    regex = _taken_over(new.subscription_regex, None if classic and new.subscription != INHERITED else like.regex) or None
    if classic and regex:
        raise InvalidInput(
            "a consumer of the classic protocol sends the names of its topics, also where it subscribes by a pattern: give them",
            "subscription",
        )
    return Member(
        member_id=new.member_id or "",
        subscription=_taken_over(new.subscription, like.subscription),
        regex=regex,
        instance_id=_taken_over(new.instance_id, like.instance_id),
        classic=classic,
        assignors=like.assignors if isinstance(new.assignors, FromOld) else tuple(map(str, new.assignors)),
        rack=_taken_over(new.rack, like.rack),
    )


def named(new: NewConsumer, member_id: str | None) -> NewConsumer:
    return replace(new, member_id=member_id)


def _taken_over(given: T | FromOld, old: T) -> T:
    return old if isinstance(given, FromOld) else given
