"""The Forecast of a Change: Kafka's decisions, rebalance by rebalance, until the group is stable.

Nothing here is a guess: where evidence is missing, or releases that are not distinguished would differ, it is CannotPredict.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.kafka.garbage_collection import uncollected
from holdfast.kafka.streams.group import About, Assignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change import in_memory, shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.forecast import broker_reads, releases_apart, sampling, static_returns
from holdfast.rollout.streams.forecast.course import carried_out, length_of
from holdfast.rollout.streams.forecast.final_owners import owners_at_the_end
from holdfast.rollout.streams.forecast.outcomes import Course, Forecast, Length, Outcome, Range, Summary, also, range_of
from holdfast.rollout.streams.forecast.restoring import waiting
from holdfast.rollout.streams.forecast.segments import Shared
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import Work, allowed
from holdfast.rollout.streams.process_ids.chances import Chance
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def forecast(
    snapshot: Snapshot, change: Change, most_outcomes: int | None = None, work: Work | None = None, shared: Shared | None = None
) -> Forecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group.

    `most_outcomes`: where new random process IDs have more outcomes, this many represent all (`positions`). None: all outcomes.
    `work`: what it may take (`allowed`). Where that is not enough for all outcomes, fewer represent them; else raise TooMuchWork.
    `shared`: what is known from other forecasts of a search, and from this one from now on. It changes only how long this takes.
    """
    requested = in_memory.as_stored(snapshot, change)
    change = in_memory.started_again(snapshot, shorthands.written_out(snapshot, requested))
    releases = groups.releases_of(snapshot)
    work, shared = work or allowed(snapshot), shared or Shared()
    answers = []
    for number, release in enumerate(releases):
        part = work.part(len(releases) - number)
        with uncollected():
            outcomes = _outcomes(groups.with_release(snapshot, release), change, requested, most_outcomes, part, shared)
        answers.append((release, outcomes))
        work.used(part)
    unknown = [*snapshot.unknown, *groups.mixed_releases(snapshot), *releases_apart.unknown_release(answers)]
    outcomes = answers[-1][1]
    notes = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    unknown.extend(note.as_unknown() for note in notes)
    unknown.extend(static_returns.may_return(snapshot, change))
    return Forecast(change, outcomes, tuple(unknown))


def _outcomes(
    snapshot: Snapshot, change: Change, requested: Change, most: int | None, work: Work, shared: Shared
) -> tuple[Outcome, ...]:
    """`requested`: the change before its shorthands were written out."""
    earlier = [
        (batch, in_memory.started_again(snapshot, shorthands.written_out(snapshot, requested, counted_from=batch)))
        for batch in shorthands.counts_earlier(snapshot, requested)
    ]

    def of_one(option: Chance) -> Outcome:
        ground, before = Ground(snapshot, work, shared.segments, shared.rests), work.taken
        outcome, found = _outcome(ground, change.with_process_ids(option.process_ids), option)
        one_took, others = 2 * (work.taken - before), list[Range]()
        for batch, other in earlier:
            if work.left >= one_took:
                others.append(_range(ground, other.with_process_ids(option.process_ids), batch))
        return also(outcome, found, others, len(earlier) - len(others))

    return sampling.outcomes(snapshot, change, most, work, shared.counted, of_one)


def _outcome(ground: Ground, change: Change, option: Chance) -> tuple[Outcome, Range]:
    change = shorthands.written_out(ground.snapshot, change)
    course = carried_out(ground, change)
    found, trouble = range_of(course.length, _quicker(ground, change, course.length)), course.length.trouble
    doubts = (doubt for one in course.rounds if isinstance(one.decision, Assignment) for doubt in one.decision.undetermined)
    undetermined = (Note(NoteKind.LEADER if one.about is About.LEADER else NoteKind.DECISION, one.text) for one in doubts)
    unsettled = () if trouble is None else (Note(NoteKind.UNSETTLED, trouble),)
    outcome = Outcome(
        probability=float(option.probability),
        process_ids=tuple(sorted(client.process_id for client in course.clients)),
        stable=trouble is None,
        rounds=course.rounds,
        summary=_summary(ground.snapshot, course, found),
        clients=course.clients,
        notes=(*dict.fromkeys((*undetermined, *course.notes)), *unsettled),
        drawn=option.process_ids,
        unsettled=trouble,
        latent=course.latent,
        acts=course.acts,
        probes_more=found.probing_at_most - found.probing,
    )
    return outcome, found


def _range(ground: Ground, change: Change, counted_from: int) -> Range:
    """That of a course in which the settings of a roll-out count from this many batches on."""
    change = shorthands.written_out(ground.snapshot, change, counted_from=counted_from)
    length = length_of(ground, change, change.assume)
    return range_of(length, _quicker(ground, change, length))


def _quicker(ground: Ground, change: Change, length: Length) -> Sequence[Length]:
    """What may come instead of a course with immediate follow-ups, which come after some 2 s: copies are caught up by then, or what
    was handed out before is not open yet (`Reports.as_seen`). And what comes if clients that are late come back as soon as can be.
    """
    work = ground.work
    late = any(isinstance(item, Event) and item.is_late() for item in change.events)
    if change.assume.catch_up is CatchUp.PROBING_REBALANCE and length.follow_ups:
        assume = replace(change.assume, catch_up=CatchUp.NEXT_REBALANCE)
        before = work.taken
        caught_up = length_of(ground, change, assume, back_soon=late)
        if work.left < 2 * (work.taken - before):
            return (caught_up,)
        return caught_up, length_of(ground, change, change.assume, back_soon=late, as_seen=True)
    return (length_of(ground, change, change.assume, back_soon=True),) if late else ()


def _summary(snapshot: Snapshot, course: Course, found: Range) -> Summary:
    stateful = tuple(task.id for task in snapshot.tasks if task.stateful)
    before = dict(ownership.owners(snapshot))
    after = owners_at_the_end(course, before, snapshot.tasks)
    by_client: dict[ProcessId, int] = {}
    for one in course.rounds:
        for process_id, records in one.restoring:
            by_client[process_id] = by_client.get(process_id, 0) + records
    return Summary(
        stateful_tasks=len(stateful),
        active_moved=sum(before.get(task) != after.get(task) for task in stateful),
        rebalances=course.length.rebalances,
        rebalances_at_least=found.rebalances_at_least,
        rebalances_at_most=found.rebalances_at_most,
        seconds_to_stable=None if course.length.trouble else course.length.ends_s,
        seconds_to_stable_at_least=found.seconds_at_least,
        restore_records=sum(by_client.values()),
        restore_records_by_client=tuple(sorted(by_client.items())),
        without_caught_up_copy=waiting(course.rounds, course.waiting_records),
        restore_bytes=total_or_none(size for one in course.rounds for _, size in one.restoring_bytes),
        stopped=course.stopped,
        reads=broker_reads.reads(snapshot, course.rounds),
    )
