"""The steps of a plan for a streams group whose broker assigns: one per event, with waits between them. All are manual."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, number_of
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events import table
from holdfast.rollout.broker_streams.forecast.placement import CourseTarget
from holdfast.rollout.broker_streams.options import usual_assumptions
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.manual_steps import StepWords, action, waiting_last
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.coordinated import wait_words
from holdfast.rollout.coordinated.step_of import StepOf
from holdfast.rollout.json.codec import NAME, TEXT, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.text import kafka_commands


@record
class BrokerStep:
    """One thing to do, by the operator: an event of the change, or a wait. `id` is its number in the plan, from "1"."""

    id: str = member(NAME, "Its number, from 1.")
    item: BrokerItem = spread(action(lambda: table.EVENTS))
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


def steps_of(change: BrokerChange, targets: tuple[CourseTarget, ...], snapshot: StreamsGroupSnapshot) -> tuple[BrokerStep, ...]:
    """The events of a change, with the targets that are expected after each batch of them, and a wait at the end."""
    name, config = named(snapshot), dict(snapshot.config)
    found, batch, begun = [], 0, False
    for number, item in enumerate(waiting_last(change.events), start=1):
        of = StepOf(snapshot.group_id, name, number_of(config, ASSIGNMENT_INTERVAL), dict(config))
        if isinstance(item, Then):
            after = [one for one in targets if one.batch == batch] if begun else []
            shows = kafka_commands.describe_streams_group(of.group_id, "--state", "--verbose")
            expect = wait_words.expected(after, "stateful tasks")
            found.append(_step(str(number), item, wait_words.step(item.wait, shows), expect))
            batch, begun = batch + begun, False
        else:
            found.append(_step(str(number), usual_assumptions.as_asked(item), item.step(of)))
            config |= dict(item.configures())
            begun = True
    return tuple(found)


def verbs(change: BrokerChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.statements() for name in item.ACTIONS)


def _step(number: str, item: BrokerItem, of: StepWords, expect: str = "") -> BrokerStep:
    return BrokerStep(number, item, of.says, of.before, of.after, of.undo, expect, of.command, of.check_command)
