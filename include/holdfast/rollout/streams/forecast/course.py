"""One course of a forecast: the batches of a change one after the other, each with the rebalances that it causes.

`carried_out` keeps every rebalance, `length_of` counts them: a forecast shows one course, and gives the range of the others.
"""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Assignment, Group, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.events.batches import Batch
from holdfast.rollout.streams.forecast import restoring, static_returns
from holdfast.rollout.streams.forecast.acts import act_of
from holdfast.rollout.streams.forecast.compiled.restarts import Restarted, Restarting, Running, Turns
from holdfast.rollout.streams.forecast.compiled.walk_result import Restores, Walk
from holdfast.rollout.streams.forecast.outcomes import Course, Length, Round, Stopped
from holdfast.rollout.streams.forecast.restoring import Restoring
from holdfast.rollout.streams.forecast.segments import Segment, Start
from holdfast.rollout.streams.forecast.stage import Ground, Stage
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.snapshot import changelog_sizes, ownership
from holdfast.rollout.text.format import listed, many

CLOSED_IN_DOUBT = (
    "Copies of {} are closed during the change, with exactly-once and a release up to 2.7: a copy without pending commits then"
    " reports the offset of its start, and may have to be restored again."
)


def carried_out(
    ground: Ground, change: Change, assume: Assume | None = None, *, back_soon: bool = False, as_seen: bool = False
) -> Course:
    """A change that leaves nothing to chance, rebalance by rebalance, as it assumes. The others: as `length_of`."""
    stage = RecordedStage(ground, assume or change.assume, as_seen=as_seen)
    return stage.course(_through(stage, change, back_soon=back_soon))


def length_of(ground: Ground, change: Change, assume: Assume, *, back_soon: bool = False, as_seen: bool = False) -> Length:
    """How long the same takes in other circumstances.

    `back_soon`: who is late comes back after one rebalance without it, not once the group is stable. `as_seen`: see `Reports`.
    """
    stage = Stage(ground, assume, as_seen=as_seen)
    return stage.length(_through(stage, change, back_soon=back_soon))


def _through(stage: Stage, change: Change, *, back_soon: bool = False) -> str | None:
    """Go through all batches. Returns why the group does not become stable (None: it does)."""
    numbered = change.numbered_batches()
    turns, at = Turns.of(numbered), 0
    while at < len(numbered):
        done = stage.restart_in_turn(numbered[at : turns.until[at]], turns.after(at))
        at += done
        if done:
            continue
        batch = numbered[at]
        at += 1
        trouble = stage.miss(batch, Wait.REBALANCE if back_soon else Wait.STABLE)
        if trouble is not None:
            return trouble
        stage.carry_out(batch)
        if batches.causes_no_rebalance(batch):
            if stage.pending is not None:
                index = batch.events[0][0]
                raise InvalidInput(
                    "the group still rebalances; what follows from a return in the middle of that is not modelled: wait until it is"
                    ' stable ({"then": "stable"})',
                    f"events[{index}].restart_client.within_session",
                )
            stage.came_back_unseen(batch)
        else:
            trouble = stage.rebalance(until=batch.wait or Wait.STABLE)
        stage.close_act(batch)
        if trouble is not None:
            return trouble
    return None


class RecordedStage(Stage):
    """A stage that keeps every rebalance, what is restored, and what is unavailable. So it works all of them out."""

    def __init__(self, ground: Ground, assume: Assume, *, as_seen: bool = False) -> None:
        super().__init__(ground, assume, as_seen=as_seen)
        self._rounds: list[Round] = []
        self._stopped: dict[TaskId, Stopped] = {}
        self._restoring = Restoring(changelog_sizes.task_logs(ground.snapshot))
        self._latent: tuple[TaskId, ...] = ()
        self._waiting_settings: dict[str, None] = {}
        self._acts: list[TimedBatch] = []
        self._alone: tuple[tuple[TaskId, bool], ...] = ()
        """The tasks that stopped for the last events, and whether no client that ran has a caught-up copy."""

    def course(self, trouble: str | None) -> Course:
        notes = self.scene.notes
        if self._latent:
            what = f"{many(len(self._latent), 'stateful task')} ({listed(self._latent)})"
            note = f"The group only looks stable: the next rebalance, whatever causes it, sets out to move {what}"
            notes = (*notes, Note(NoteKind.LATENT, f"{note}, because process IDs have changed without one."))
        if self._waiting_settings:
            waits = static_returns.WAITS.format(listed(list(self._waiting_settings)))
            notes = (*notes, Note(NoteKind.SETTINGS_WAIT, waits))
        if self._closed_in_doubt:
            notes = (*notes, Note(NoteKind.CLOSED_COPIES, CLOSED_IN_DOUBT.format(listed(sorted(self._closed_in_doubt)))))
        return Course(
            rounds=tuple(self._rounds),
            clients=self.scene.clients,
            length=self.length(trouble),
            waiting_records=self._restoring.waiting_records,
            stopped=tuple(self._stopped.values()),
            notes=notes,
            latent=len(self._latent),
            acts=tuple(self._acts),
        )

    def rebalance(self, until: Wait) -> str | None:
        self._latent = ()
        self._waiting_settings = {}
        return super().rebalance(until)

    def restart_in_turn(self, batches: Sequence[Batch], restarting: Sequence[Restarting]) -> int:
        done = super().restart_in_turn(batches, restarting)
        if done:
            self._latent, self._waiting_settings = (), {}
        return done

    def close_act(self, batch: Batch) -> None:
        """Record an action, and how many rebalances followed."""
        self._acts.append(act_of(batch, self.scene, len(self._rounds) - sum(one.rebalances for one in self._acts)))

    def came_back_unseen(self, batch: Batch) -> None:
        """Note what waits for the next rebalance, settings and process IDs."""
        self._waiting_settings |= {key: None for _, one in batch.events for key, _ in one.settings_set()}
        runs = dict(ownership.owners_among(self.scene.clients, self.scene.tasks))
        self._latent = tuple(task for task, owner in order.target(self._group) if runs.get(task, owner) != owner)

    def _known(self, start: Start) -> Segment | None:  # noqa: ARG002 - a segment has no rebalances to show
        return None

    def _started(self, process_ids: tuple[ProcessId, ...]) -> None:
        self._restoring.begins_anew(process_ids)

    def _rebalanced(self, trigger: Trigger, group: Group, decision: Assignment | LeaderFailure) -> None:
        self._rounds.append(self._restoring.round(self._reports, trigger, self._at_seconds, group, decision))

    RECORDS = True

    def _runs(self) -> Mapping[ProcessId, Mapping[TaskId, None]]:
        return self._restoring.running()

    def _rebalanced_in_a_walk(self, trigger: Trigger, walk: Walk | Restarted, number: int) -> None:
        found = self._restoring.walked(trigger, self._at_seconds, walk.decisions[number], walk.restores[number])
        self._rounds.append(found)

    def _walked(self, running: Running) -> None:
        self._restoring.goes_on(running)

    def _entered(self, acceptable_lag: int) -> None:
        """Note tasks that were unavailable until now, and whether a client that ran meanwhile has a copy of them."""
        self._alone = ()
        if not self.scene.stopped:
            return
        ran = [client for client in self.scene.clients if client.process_id not in self.scene.down]
        copied = restoring.copied(self._reports, ran, dict(self.scene.stopped), acceptable_lag)
        self._alone = tuple((task, task not in copied and self._reports.log_end(task) > 0) for task, _ in self.scene.stopped)
        for one, (_, seconds) in zip(self._alone, self.scene.stopped, strict=True):
            self._stopped_for([one], seconds)

    def _restarted(self) -> Restarted:
        shown = self._rounds[-1]
        waiting = tuple(zip(shown.without_caught_up_copy, shown.waiting_records, strict=True))
        assert isinstance(shown.decision, Assignment), "a leader that fails leaves a course in trouble"
        return Restarted(self._alone, (None,), (), (shown.decision,), (Restores(shown.restoring_tasks, waiting),))

    def _stopped_for(self, tasks: Iterable[tuple[TaskId, bool]], seconds: float) -> None:
        for task, alone in tasks:
            before = self._stopped.get(task, Stopped(task, 0, 0))
            without = before.seconds_without_copy + (seconds if alone else 0)
            self._stopped[task] = Stopped(task, before.seconds + seconds, without)
