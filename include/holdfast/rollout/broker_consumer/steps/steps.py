"""The steps of a plan for a consumer group whose broker assigns: one per event, with waits between them. All are manual."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, number_of
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events import table
from holdfast.rollout.broker_consumer.forecast.placement import Shares
from holdfast.rollout.broker_consumer.snapshot.names import named
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.manual_steps import StepWords, action, waiting_last
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.coordinated import wait_words
from holdfast.rollout.coordinated.step_of import StepOf
from holdfast.rollout.json.codec import NAME, TEXT, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many


@record
class GroupStep:
    """One thing to do, by the operator: an event of the change, or a wait. `id` is its number in the plan, from "1"."""

    id: str = member(NAME, "Its number, from 1.")
    item: Item = spread(action(lambda: table.EVENTS))
    says: str = member(TEXT, "What is done.")
    check_before: str = member(TEXT)
    check_after: str = member(TEXT)
    undo: str = member(TEXT)
    expect: str = member(TEXT)
    command: str = member(TEXT, "For a shell, where one command does it.", default="", omit=True)
    check_command: str = member(TEXT, "For a shell: shows what `check_after` says.", default="", omit=True)

    @property
    @derived(choice(Who, among=(Who.OPERATOR,)))
    def who(self) -> Who:
        """Holdfast does nothing to these groups itself."""
        return Who.OPERATOR


def steps_of(change: GroupChange, course: Shares, snapshot: BrokerConsumerSnapshot) -> tuple[GroupStep, ...]:
    """The events of a change, with what is expected after each batch of them, and a wait at the end."""
    name, config = named(snapshot), dict(snapshot.config)
    found, batch, begun = [], 0, False
    for number, item in enumerate(waiting_last(change.events), start=1):
        of = StepOf(snapshot.group_id, name, number_of(config, ASSIGNMENT_INTERVAL), dict(config))
        if isinstance(item, Then):
            shows = kafka_commands.describe_consumer_group(of.group_id, "--state", "--verbose")
            found.append(_step(str(number), item, wait_words.step(item.wait, shows), _expected(course, batch if begun else None)))
            batch, begun = batch + begun, False
        else:
            found.append(_step(str(number), item, item.step(of)))
            config |= dict(item.configures())
            begun = True
    return tuple(found)


def _expected(course: Shares, batch: int | None) -> str:
    """After a wait for what follows from that batch of events; None: nothing does."""
    led = [one for one in course.rebalances if one.batch == batch]
    targets = [one for one in course.targets if one.batch == batch]
    moves = many(sum(one.hand_overs for one in led), "hand-over")
    first = f"First {many(len(led), 'rebalance')} of the classic group without it; {moves} of partitions. " if led else ""
    return first + wait_words.expected(targets, "partitions")


def verbs(change: GroupChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.statements() for name in item.ACTIONS)


def _step(number: str, item: Item, of: StepWords, expect: str = "") -> GroupStep:
    return GroupStep(number, item, of.says, of.before, of.after, of.undo, expect, of.command, of.check_command)
