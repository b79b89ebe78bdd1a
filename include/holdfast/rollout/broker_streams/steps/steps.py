"""The steps of a plan for a streams group whose broker assigns: one per event, with waits between them. All are manual."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, number_of
from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events import table
from holdfast.rollout.broker_streams.forecast.placement import CourseTarget
from holdfast.rollout.broker_streams.options import usual_assumptions
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S, action, waiting_last
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.coordinated.step_of import StepOf
from holdfast.rollout.json.codec import NAME, TEXT, choice
from holdfast.rollout.json.record import derived, member, record, spread
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import duration, many


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
            found.append(_wait(str(number), item, of, [one for one in targets if one.batch == batch] if begun else []))
            batch, begun = batch + begun, False
        else:
            found.append(_step(str(number), item, of))
            config |= dict(item.configures())
            begun = True
    return tuple(found)


def verbs(change: BrokerChange) -> Iterator[str]:
    """What the steps of a change ask for, in their order, without waiting."""
    return (name for item in change.statements() for name in item.ACTIONS)


def _step(number: str, item: BrokerItem, of: StepOf) -> BrokerStep:
    assert not isinstance(item, Then), "a wait is made elsewhere"
    found = item.step(of)
    texts = found.says, found.before, found.after, found.undo
    return BrokerStep(number, usual_assumptions.as_asked(item), *texts, "", found.command, found.check_command)


def _wait(number: str, item: Then, of: StepOf, targets: list[CourseTarget]) -> BrokerStep:
    stable = item.wait is Wait.STABLE
    after = "The group is Stable." if stable else "GROUP-EPOCH is higher than before, and TARGET-ASSIGNMENT-EPOCH is equal to it."
    shows = kafka_commands.describe_streams_group(of.group_id, "--state", "--verbose")
    expect = f"{_expected(targets)} Time limit of this wait: {duration(WAIT_AT_LEAST_S)}."
    says = "Wait until the group is stable" if stable else "Wait until the coordinator has computed a target, and go on at once"
    return BrokerStep(number, item, says, "", after, "Not needed.", expect, check_command=shows)


def _expected(targets: list[CourseTarget]) -> str:
    if not targets:
        return "No target."
    moves = sum(one.hand_overs for one in targets)
    epochs = [one.group_epoch for one in targets if one.group_epoch is not None]
    until = f" (group epoch {epochs[-1]} then)" if len(epochs) == len(targets) else ""
    return f"{many(len(targets), 'target')}{until}; {many(moves, 'hand-over')} of stateful tasks."
