"""The options for a change to a consumer group: the change as requested, and those that may reduce partition downtime."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer.config import SESSION_TIMEOUT
from holdfast.kafka.consumer.election import chosen_assignor
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.consumer.change.change import CHANGE, ConsumerChange, ConsumerItem
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.events.set_assignors import SetAssignors
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.group_state import refuse_unsettled
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumed, Assumption, Invalid, Invalidation
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, items
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import duration

WITHIN_SESSION, LONGER_SESSION, ONE_BY_ONE, OTHER_ORDER, TWO_WAVES, TOGETHER, TWO_BOUNCES, MAKE_STATIC, MAKE_COOPERATIVE = (
    "static-within-session",
    "longer-session",
    "one-by-one",
    "reverse-order",
    "two-waves",
    "all-together",
    "two-bounces",
    "make-static",
    "make-cooperative",
)
NAMES = (
    BASELINE_NAME,
    WITHIN_SESSION,
    LONGER_SESSION,
    ONE_BY_ONE,
    OTHER_ORDER,
    TWO_WAVES,
    TOGETHER,
    TWO_BOUNCES,
    MAKE_STATIC,
    MAKE_COOPERATIVE,
)
LONG_SESSION_MS = 300_000
"""`session.timeout.ms` for the time of a roll: pulling an image fits in. Brokers allow 30 min unless configured otherwise."""
MOST_CONSUMERS_MIGRATED = 100
"""This many restarts, two times over, are forecast for a migration that was not requested."""
Bounce = ReplaceConsumer | RestartConsumer | SetAssignors
"""An event after which one consumer is back."""


@record
class ConsumerOption:
    """One option for a change, as `options.option.Option`. `settings`: those for the time of the rollout."""

    name: str = member(NAME)
    title: str = member(TEXT)
    change: ConsumerChange = member(CHANGE)
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS)
    invalid_if: tuple[Invalidation, ...] = member(INVALIDATIONS)
    drawback: str = member(TEXT, default="", needed=True)
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)), default=(), needed=True)
    if_allowed: bool = member(BOOLEAN, default=False, needed=True)

    @property
    def effort(self) -> EffortCounts:
        """Everything is done by people."""
        restarts = sum(
            len(item.member_ids) if isinstance(item, SetAssignors) else isinstance(item, RestartConsumer)
            for item in self.change.events
        )
        return EffortCounts(restarts, sum(not isinstance(item, Then) for item in self.change.events), 0)


def propose(snapshot: ConsumerSnapshot, change: ConsumerChange) -> tuple[ConsumerOption, ...]:
    """The baseline first. An option with the same events and settings as one before it is left out.

    Raise CannotPredict for a group in the middle of a rebalance or without members.
    """
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members), not_said=True)
    change = _as_processes_start(snapshot, change)
    found: dict[object, ConsumerOption] = {}
    for option in (*_options(snapshot, change), *_beyond(snapshot, change)):
        found.setdefault((option.change.events, option.settings), option)
    return tuple(found.values())


def _as_processes_start(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerChange:
    """A plan is carried out by processes: what the change does not say of dynamic consumers that restart is as these do."""
    static = {member.member_id for member in snapshot.members if member.group_instance_id is not None}
    events = (
        item if isinstance(item, Then) or static.issuperset(item.olds()) else item.as_processes_start() for item in change.events
    )
    return replace(change, events=tuple(events))


def _options(snapshot: ConsumerSnapshot, change: ConsumerChange) -> Iterator[ConsumerOption]:
    yield ConsumerOption(BASELINE_NAME, "Make the change as requested", change, (), _ids(change))
    within = _within_session(snapshot, change)
    if within is not None:
        yield ConsumerOption(
            WITHIN_SESSION,
            "Restart static consumers within the session timeout, without a rebalance",
            within,
            (Assumption(Assumed.CONSUMER_BACK_IN_SESSION),),
            (Invalidation(Invalid.CONSUMER_SESSION_OVER),),
        )
        longer = _longer_session(snapshot)
        if longer is not None:
            yield ConsumerOption(
                LONGER_SESSION,
                f"Restart static consumers with a session timeout of {duration(LONG_SESSION_MS // 1000)} during the rollout",
                within,
                (Assumption(Assumed.LONGER_SESSION_SET),),
                (Invalidation(Invalid.CONSUMER_SESSION_OVER),),
                drawback="A crashed consumer is detected later. Use it if a restart takes longer than the present session timeout.",
                if_allowed=True,
                settings=(longer,),
            )
    bounces = _bounces(change)
    if len(bounces) > 1:
        yield ConsumerOption(ONE_BY_ONE, "Restart one consumer at a time", _waves(bounces, len(bounces)), (), _ids(change))
        yield ConsumerOption(
            OTHER_ORDER, "Restart one consumer at a time, in reverse order", _waves(bounces[::-1], len(bounces)), (), _ids(change)
        )
        if len(bounces) > 3:
            yield ConsumerOption(TWO_WAVES, "Restart in two waves", _waves(bounces, 2), (), _ids(change))
        yield ConsumerOption(
            TOGETHER,
            "Restart all consumers at once",
            _waves(bounces, 1),
            (Assumption(Assumed.ALL_BACK_FIRST),),
            _ids(change),
            drawback="All consumers are down at once: no partition is read until they return; that time cannot be forecast.",
        )
    first = _first_bounce(snapshot, bounces)
    if first is not None:
        yield ConsumerOption(
            TWO_BOUNCES,
            f"Restart every consumer twice: first with the new assignor and {first}, then without {first}",
            _twice(bounces, first),
            (Assumption(Assumed.EVERY_CONSUMER_RESTARTS, str(first)),),
            _ids(change),
        )


def _beyond(snapshot: ConsumerSnapshot, change: ConsumerChange) -> Iterator[ConsumerOption]:
    """What would serve the next change too, but takes a decision of the team: shown in addition to the others."""
    bounces = [item for item in _bounces(change) if isinstance(item, RestartConsumer)]
    restarted = [bounce.member_id for bounce in bounces if bounce.back == NewConsumer(bounce.back.member_id)]
    static = _made_static(snapshot, change)
    if static is not None:
        yield ConsumerOption(
            MAKE_STATIC,
            "Set a unique group.instance.id for each consumer that restarts",
            static,
            (Assumption(Assumed.INSTANCE_ID_KEPT),),
            (Invalidation(Invalid.INSTANCE_ID_TWICE),),
            drawback="This rollout still rebalances; later ones need not. It needs a setting in each consumer: decide first.",
            if_allowed=True,
        )
    all_clients = len(restarted) == len(snapshot.members) and len(bounces) == len(_bounces(change))
    picked = _picked(snapshot)
    eager = picked is not None and picked is not Assignor.COOPERATIVE_STICKY
    if all_clients and eager and picked is not None and len(restarted) <= MOST_CONSUMERS_MIGRATED:
        pairs = [((one.member_id, one.back.member_id),) for one in bounces]
        new = [SetAssignors((Assignor.COOPERATIVE_STICKY,), pair, within_rebalance=False) for pair in pairs]
        yield ConsumerOption(
            MAKE_COOPERATIVE,
            "Restart every consumer twice to migrate to cooperative-sticky",
            _twice(new, picked),
            (Assumption(Assumed.LISTENER_COOPERATES),),
            _ids(change),
            drawback="Two restarts of every consumer; then a rebalance interrupts only what moves. Request it with set_assignors.",
            if_allowed=True,
        )


def _ids(change: ConsumerChange) -> tuple[Invalidation, ...]:
    """The broker makes the ID of a dynamic consumer that joins. Where none does, the group itself must stay as it was."""
    joins = (AddConsumer, ReplaceConsumer, RestartConsumer, SetAssignors)
    unseen = [isinstance(item, RestartConsumer) and item.within_session for item in change.events]
    joining = any(isinstance(item, joins) and not still for item, still in zip(change.events, unseen, strict=True))
    return (Invalidation(Invalid.MEMBER_ID_RANK if joining else Invalid.ANOTHER_CONSUMER),)


def _picked(snapshot: ConsumerSnapshot) -> Assignor | None:
    """The assignor that the group has now. None: it has none, or it is unknown."""
    try:
        now = chosen_assignor(snapshot.members, snapshot.broker_release)
    except CannotPredict:
        return None
    return now if isinstance(now, Assignor) else None


def _longer_session(snapshot: ConsumerSnapshot) -> SettingChange | None:
    """None: sessions are as long already."""
    given = dict(snapshot.config).get(SESSION_TIMEOUT)
    if isinstance(given, int) and given >= LONG_SESSION_MS:
        return None
    note = "Consumers read it when they start: set it in the rollout before this one, and revert it in the next."
    return SettingChange(SESSION_TIMEOUT, LONG_SESSION_MS, given, note)


def _made_static(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerChange | None:
    """None: no dynamic member restarts unchanged. Placeholders represent the instance IDs that it will get."""
    dynamic = {member.member_id: place for place, member in enumerate(snapshot.members) if member.group_instance_id is None}
    events: list[ConsumerItem] = []
    for item in change.events:
        if isinstance(item, RestartConsumer) and item.member_id in dynamic and item.back == NewConsumer(item.back.member_id):
            instance = f"instance-{dynamic[item.member_id]:05}"
            events.append(replace(item, back=replace(item.back, group_instance_id=instance)))
        else:
            events.append(item)
    return None if tuple(events) == change.events else ConsumerChange(tuple(events))


def _within_session(snapshot: ConsumerSnapshot, change: ConsumerChange) -> ConsumerChange | None:
    """None: no static consumer restarts just as it was."""
    static = {member.member_id for member in snapshot.members if member.group_instance_id is not None}
    events: list[ConsumerItem] = []
    for item in change.events:
        if isinstance(item, RestartConsumer) and item.member_id in static and item.back == NewConsumer(item.back.member_id):
            events.append(replace(item, within_session=True, within_rebalance=None))
        else:
            events.append(item)
    return None if tuple(events) == change.events else ConsumerChange(tuple(events))


def _bounces(change: ConsumerChange) -> tuple[Bounce, ...]:
    """The bounces that the change consists of, one a consumer; none if there is anything else in it."""
    found: list[Bounce] = []
    for item in change.events:
        match item:
            case ReplaceConsumer() | RestartConsumer(within_session=False):
                found.append(item)
            case SetAssignors(member_ids=member_ids):
                found += [replace(item, member_ids=(pair,)) for pair in member_ids]
            case Then():
                continue
            case _:
                return ()
    return tuple(found)


def _waves(bounces: Sequence[Bounce], count: int) -> ConsumerChange:
    """This many batches of about the same size, each after the group is stable."""
    events: list[ConsumerItem] = []
    size = -(-len(bounces) // count)
    for number, bounce in enumerate(bounces):
        if number and number % size == 0:
            events.append(Then(Wait.STABLE))
        events.append(bounce)
    return ConsumerChange(tuple(events))


def _first_bounce(snapshot: ConsumerSnapshot, bounces: Sequence[Bounce]) -> Assignor | None:
    """The assignor that the group has now, if every member is to have a list without it."""
    lists = [bounce.assignors for bounce in bounces if isinstance(bounce, SetAssignors)]
    if not lists or len(lists) < len(bounces):
        return None
    now = _picked(snapshot)
    return now if now is not None and not any(now in one for one in lists) else None


def _twice(bounces: Sequence[Bounce], now: Assignor) -> ConsumerChange:
    """Each consumer with both lists, one after the other, and then each with the new one. The IDs in between are placeholders."""
    first: list[Bounce] = []
    second: list[Bounce] = []
    for bounce in bounces:
        assert isinstance(bounce, SetAssignors), "nothing else is a change of assignors"
        ((old, new),) = bounce.member_ids
        between = f"{new}~1"
        first.append(replace(bounce, assignors=(*bounce.assignors, now), member_ids=((old, between),)))
        second.append(replace(bounce, member_ids=((between, new),)))
    return _waves([*first, *second], 2 * len(bounces))
