"""The search: `propose` lists the options for a group and a change (`remedies`), `evaluate` computes the cost of one."""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, TooMuchWork, Unsupported
from holdfast.kafka.garbage_collection import uncollected
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.facts.conditions import OF_PROCESS_IDS, Assumption, Invalid, Invalidation
from holdfast.rollout.facts.refusals import refusal_of
from holdfast.rollout.streams.change import in_memory, shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost import cost, efforts, missing_inputs
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption, Option
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.segments import Shared
from holdfast.rollout.streams.forecast.work import Work, allowed_for_an_option, of_events, size_of
from holdfast.rollout.streams.options import contingencies, recipes, usual_assumptions
from holdfast.rollout.streams.options.rewrites import sequence
from holdfast.rollout.streams.options.table import OPTION_ENTRIES, OptionEntry
from holdfast.rollout.streams.process_ids import chances
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import changelog_sizes
from holdfast.rollout.streams.snapshot.churn import refuse_unsettled
from holdfast.rollout.streams.snapshot.groups import group_of, of_a_release, settings_of
from holdfast.rollout.streams.snapshot.passing_settings import PassingSetting
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import stores_of

MOST_OUTCOMES = 4
"""This many positions represent all that a new random process ID can take (`positions`)."""
MOST_CHECKED = 200_000
"""Units of work (`work`) after which a change is taken to fit: a page checks what is typed into its form."""


def propose(snapshot: Snapshot, change: Change) -> tuple[Option, ...]:
    """Every option that makes sense, the baseline first; two options with the same change and effort are one.

    Raise InvalidInput for a change that does not fit the group, CannotPredict for a group in the middle of a rebalance or without
    clients: nothing can be planned for unknown clients.
    """
    refuse_unsettled(snapshot, not_said=True)
    _refuse_values(snapshot, change)
    refuse_misfit(snapshot, change)
    rolled = sequence.rolled_out(snapshot, shorthands.written_out(snapshot, change, roll_outs=False))
    requested = usual_assumptions.as_usual(snapshot, in_memory.as_stored(snapshot, rolled))
    found: list[Option] = []
    for entry in OPTION_ENTRIES:
        rewritten = entry.rewrite(snapshot, requested)
        if rewritten is None or (entry.setting is not None and not _helps(snapshot, requested, entry.setting)):
            continue
        if rewritten != requested and not _fits(snapshot, rewritten):
            continue
        try:
            candidate = _candidate(snapshot, requested, rewritten, entry)
        except InvalidInput:
            if entry.setting is None:
                raise
            continue  # the change leaves no client that could be restarted with the former setting
        if all((candidate.change, candidate.effort) != (other.change, other.effort) for other in found):
            found.append(candidate)
    return tuple(found)


def _refuse_values(snapshot: Snapshot, change: Change) -> None:
    """Raise InvalidInput for values with which no client starts, by the event that was given: a roll-out is written out later."""
    config = dict(snapshot.config)
    for index, item in enumerate(change.events):
        if isinstance(item, Then) or not item.settings_set():
            continue
        config |= dict(item.settings_set())
        changed = replace(snapshot, config=tuple(sorted((key, one) for key, one in config.items() if one is not None)))
        try:
            settings_of(changed, of_a_release(changed).kafka_release or "")
            outage.refuse_times(Scene.of(changed))
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{item.VERB}") from None
        except (CannotPredict, Unsupported):
            return


def refuse_misfit(snapshot: Snapshot, change: Change) -> None:
    """Raise InvalidInput for a change that does not fit the group: its events are carried out once, without rebalances.

    `evaluate` reports what cannot be predicted at all, and errors so late in the change that reaching them takes long.
    """
    change = shorthands.written_out(snapshot, change)
    work = Work(MOST_CHECKED)
    try:
        snapshot = of_a_release(snapshot)
        reports = Reports.of(snapshot, group_of(snapshot), change.assume)
        option = chances.any_one(tuple(client.process_id for client in snapshot.clients), change)
    except (CannotPredict, Unsupported):
        return
    scene = Scene.of(snapshot)
    for batch in shorthands.written_out(snapshot, change.with_process_ids(option.process_ids)).numbered_batches():
        try:
            work.take(of_events(size_of(scene), batch))
        except TooMuchWork:
            return
        scene = batches.apply(scene, batch, reports)


def _fits(snapshot: Snapshot, rewritten: Change) -> bool:
    """Whether an option does nothing impossible, such as restarting a client before it is there."""
    try:
        refuse_misfit(snapshot, rewritten)
    except InvalidInput:
        return False
    return True


def evaluate(snapshot: Snapshot, candidate: Option, work: Work | None = None, shared: Shared | None = None) -> EvaluatedOption:
    """The forecast of an option, in figures. Where nothing can be predicted, the evaluation says why. `shared`: see `forecast`."""
    try:
        with uncollected():
            predicted = forecast(snapshot, candidate.change, MOST_OUTCOMES, work or allowed_for_an_option(snapshot), shared)
            costs = cost.costs_of(snapshot, predicted.change, predicted, candidate.displaced)
    except (CannotPredict, Unsupported) as refusal:
        return EvaluatedOption(candidate, (), (), refusal_of(refusal))
    unknown = tuple(one for one in predicted.unknown if not one.about_log_sizes)
    heavy = sorted({task: None for one in costs for restore in one.restores if restore.size is None for task in restore.tasks})
    sizes = tuple(changelog_sizes.not_measured(snapshot, heavy))
    return EvaluatedOption(candidate, costs, unknown, None, sizes, missing_inputs.to_give(unknown))


def _candidate(snapshot: Snapshot, requested: Change, change: Change, entry: OptionEntry) -> Option:
    settings: tuple[SettingChange, ...] = ()
    title = entry.title
    if entry.setting is not None:
        key, value = entry.setting.key, entry.setting.value_for(snapshot)
        had = dict(snapshot.config).get(key)
        stable = Then(Wait.STABLE)
        sets, puts_back = (sequence.roll(snapshot, ((key, one),)) for one in (value, had))
        change = replace(change, events=(sets, stable, *change.events, stable, puts_back))
        settings = (SettingChange(key, value, had, "Reverted once the group is stable: two rolling restarts in total."),)
        title = title.format(was=entry.setting.default if had is None else had, to=value)
    steps = recipes.steps_of(snapshot, requested, change, entry.identity)
    return Option(
        name=entry.name,
        title=title,
        change=change,
        steps=steps,
        settings=settings,
        assumptions=tuple(map(Assumption, entry.assumptions)),
        invalid_if=(_invalid_if(change, entry), *_or_late(snapshot, change), *_or_elsewhere(snapshot, change)),
        effort=entry.effort,
        as_asked=entry.as_asked,
        if_allowed=entry.if_allowed,
        displaced=tuple(displaced(requested)),
        effort_counts=efforts.counts(snapshot, change, steps),
    )


def _invalid_if(change: Change, entry: OptionEntry) -> Invalidation:
    """With the process IDs that it is about. Where none is new, or any will do, it is the group itself that must stay as it was."""
    if entry.invalid_if not in OF_PROCESS_IDS:
        return Invalidation(entry.invalid_if)
    ids = () if change.new_random_ids() else _new_ids(change)
    return Invalidation(entry.invalid_if, ids) if ids else Invalidation(Invalid.ANOTHER_CLIENT)


def _or_late(snapshot: Snapshot, change: Change) -> Iterator[Invalidation]:
    """How long a client may be away, where the change has one come back or be replaced."""
    if not any(item.may_be_late() for item in change.statements()):
        return
    try:
        yield Invalidation(Invalid.BACK_LATE, seconds=contingencies.in_time_s(snapshot))
    except (CannotPredict, Unsupported):
        return


def _or_elsewhere(snapshot: Snapshot, change: Change) -> Iterator[Invalidation]:
    """A client that finds its own endpoint missing in the assignment that it is handed asks for a rebalance at once, a static one
    too. Java: `StreamsPartitionAssignor.verifyHostInfo`."""
    endpoints = frozenset(client.process_id for client in snapshot.clients if client.user_endpoint is not None)
    named = {one for item in change.statements() for one in item.unseen_returns(endpoints)}
    if named & endpoints:
        yield Invalidation(Invalid.OTHER_ENDPOINT)


def _new_ids(change: Change) -> tuple[ProcessId, ...]:
    """The IDs under which clients join or come back, where the change says them."""
    return tuple(one for item in change.statements() for one in item.new_ids() if one is not None)


def displaced(requested: Change) -> Iterator[ProcessId]:
    """The clients that the operator's change takes away, or takes the state or the ID of: their tasks need a place anyway."""
    for item in requested.statements():
        yield from item.displaced()


def _helps(snapshot: Snapshot, change: Change, setting: PassingSetting) -> bool:
    """A passing setting matters where a client comes, goes or comes back, or shares change; not where the change sets it itself."""
    sets_it = any(setting.key in dict(item.settings_set()) for item in change.statements())
    comes_or_goes = any(item.moves_tasks() for item in change.statements())
    if stores_of(snapshot) is Stores.IN_MEMORY:
        return False  # a second restart would generate a second ID, indistinguishable from the first
    return comes_or_goes and not sets_it and setting.value_for(snapshot) is not None
