"""Decide one recorded rebalance again, for every value of what is unknown, and compare: `judge`.

What may be unknown: the leader's release, which client led, whether a subtopology keeps state, end offsets, settings. Each
combination of the first three is a *case*; in each, the end offsets that would decide differently are tried (`ends`). The result
is EQUAL where all of them give the recorded decision, INFERRED where some do, DIFFERENT where none does.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput, MalformedBytes, Unsupported
from holdfast.kafka import release as kafka_release
from holdfast.kafka.streams import config as assignor_config
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import About, Assignment, Group, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult, TaskDifference
from holdfast.rollout.streams.backtest import comparing, ends, releases, threads
from holdfast.rollout.streams.backtest.comparing import Recorded
from holdfast.rollout.streams.backtest.ends import Ends
from holdfast.rollout.streams.backtest.question import Settings, StreamsQuestion
from holdfast.rollout.streams.snapshot import replay

MOST_STATES = 16
"""Combinations of subtopologies with and without state that are tried."""
MOST_LEADERS = 64


@dataclass(frozen=True, slots=True)
class Explained:
    """What the recorded decision was made with: a case and end offsets that give it. The start of a forecast of what follows."""

    group: Group
    config: Settings


@dataclass(frozen=True, slots=True)
class Answer:
    """The result, and what explains it (None: nothing does)."""

    result: RebalanceResult
    explained: Explained | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """One value of all that is unknown but end offsets. `same`: the releases that decide as `release` does."""

    release: str
    same: tuple[str, ...]
    stateless: frozenset[int]
    leader: ProcessId | None


@dataclass(frozen=True, slots=True)
class _Tried:
    """A case, and what came out of it."""

    case: _Case
    fitting: Ends | None
    others: bool
    exhaustive: bool
    differences: tuple[TaskDifference, ...] = ()
    open: Because | None = None
    """Why the decision is not determined."""
    possible: bool = False
    """It is not, and the recorded one is one of those that it may be."""
    java_decides: bool = False
    """The version of the leader's Java decides it too."""


def judge(question: StreamsQuestion) -> Answer:
    """The question's answer. Raises nothing: what cannot be judged is a result."""
    generation = question.generation
    refused = _refused(question)
    if refused is not None:
        return _not_judged(question, *refused)
    try:
        recorded = Recorded.of(replay.leaders_decision(generation))
        group = replay.reported_group(generation, (), question.releases[-1], AssignorConfig())
    except Unsupported as refusal:
        return _not_judged(question, Because.METADATA_VERSION, str(refusal))
    except CannotPredict as refusal:
        return _not_judged(question, Because.LEADER, str(refusal))
    except (MalformedBytes, InvalidInput) as refusal:
        return _not_judged(question, Because.MALFORMED, str(refusal))
    try:
        return _Trial(question, group, recorded).answer()
    except Unsupported as refusal:
        return _not_judged(question, Because.ASSIGNOR, str(refusal))
    except CannotPredict as refusal:
        return _not_judged(question, Because.NEWER_MEMBERS, str(refusal))
    except InvalidInput as refusal:
        return _not_judged(question, Because.SETTINGS, str(refusal))
    except HoldfastError as refusal:
        return _not_judged(question, Because.WORK, str(refusal))


def _refused(question: StreamsQuestion) -> tuple[Because, str] | None:
    protocol = question.generation.protocol
    if protocol != replay.PROTOCOL:
        return Because.ASSIGNOR, f"the assignor is {protocol!r}; {replay.PROTOCOL!r} is modelled"
    if not question.releases:
        return Because.METADATA_VERSION, "no covered release has the leader's metadata version"
    return None


def _not_judged(question: StreamsQuestion, because: Because, detail: str = "") -> Answer:
    generation = question.generation
    return Answer(
        RebalanceResult(generation.number, generation.completed_at, Judged.NOT_JUDGED, (because,), detail, (), question.releases)
    )


def _java_decides(answer: Assignment | LeaderFailure) -> bool:
    return isinstance(answer, Assignment) and any(doubt.about is About.JAVA for doubt in answer.undetermined)


class _Trial:
    """One question with its members decoded."""

    def __init__(self, question: StreamsQuestion, group: Group, recorded: Recorded) -> None:
        self._question = question
        self._recorded = recorded
        self._group = group
        self._reports = ends.reports(group)
        self._tasks = {task.id: task for task in question.tasks}
        versions = {one.metadata_version for client in group.clients for one in client.consumers}
        asking = any(one.error_code for client in group.clients for one in client.consumers)
        self._one_version = len(versions) == 1 and not asking
        self._answer: Assignment | LeaderFailure | None = None

    def answer(self) -> Answer:
        tried = [self._try(case, self._question.config) for case in self._cases()]
        if not tried:
            return _not_judged(self._question, Because.STATE, "too many subtopologies may keep state or not")
        found = self._combined(tried, self._question.config)
        if found.result.judged is Judged.DIFFERENT:
            for settings in self._question.alternatives:
                again = [self._try(case, settings) for case in self._cases()]
                if any(one.fitting is not None for one in again):
                    other = self._combined(again, settings)
                    because = dict.fromkeys((*other.result.because, Because.SETTINGS))
                    result = replace(other.result, judged=Judged.INFERRED, because=tuple(because))
                    return Answer(result, other.explained)
        return found

    def _cases(self) -> Iterator[_Case]:
        unknown = sorted({task.id.subtopology for task in self._question.tasks if task.stateful is None})
        if 2 ** len(unknown) > MOST_STATES:
            return
        config = self._config(self._question.releases[-1], self._question.config)
        leaders: tuple[ProcessId | None, ...] = (self._group.leader_process_id,)
        if leaders == (None,) and 1 < len(self._group.clients) <= MOST_LEADERS:
            leaders = tuple(client.process_id for client in self._group.clients)
        for release, same in releases.unlike(self._question.releases, config, one_version=self._one_version):
            for flags in itertools.product((False, True), repeat=len(unknown)):
                stateless = frozenset(each for each, flag in zip(unknown, flags, strict=True) if flag)
                for process_id in leaders:
                    yield _Case(release, same, stateless, process_id)

    def _config(self, release: str, settings: Settings) -> AssignorConfig:
        return assignor_config.read(release, dict(settings), None)

    def _try(self, case: _Case, settings: Settings) -> _Tried:
        config = self._config(case.release, settings)
        base = replace(self._group, release=case.release, config=config, leader_process_id=case.leader)
        stateful = {
            task.id: task.stateful is not False and task.id.subtopology not in case.stateless for task in self._question.tasks
        }
        choices = {
            task.id: ends.classes(task, self._reports.get(task.id, ()), config.acceptable_recovery_lag)
            for task in self._question.tasks
            if stateful[task.id]
        }
        best: list[tuple[int, Assignment | LeaderFailure]] = []

        def decides(totals: Ends) -> tuple[TaskId, ...]:
            tasks = tuple(task.at(totals.get(task.id, 0), stateful=stateful[task.id]) for task in self._question.tasks)
            self._answer = answer = leader.assign(replace(base, tasks=tasks))
            if comparing.equal(answer, self._recorded):
                return ()
            differ = comparing.differing_tasks(answer, self._recorded)
            if not best or len(differ) < best[0][0]:
                best[:] = [(len(differ), answer)]
            return differ

        found = ends.search(choices, decides, lambda: comparing.equal(self._last(), self._recorded))
        if found.fitting is not None:
            exhaustive = found.exhaustive and not self._ambiguous(self._last(), case)
            return _Tried(case, found.fitting, found.others, exhaustive)
        nearest = best[0][1]
        exhaustive = found.exhaustive and not (self._threads_only(best) and self._ambiguous(nearest, case))
        differ = comparing.differences(nearest, self._recorded)
        possible = comparing.possible(nearest, self._recorded)
        return _Tried(case, None, True, exhaustive, differ, self._open(nearest), possible, _java_decides(nearest))

    def _last(self) -> Assignment | LeaderFailure:
        assert self._answer is not None, "decided before"
        return self._answer

    def _ambiguous(self, answer: Assignment | LeaderFailure, case: _Case) -> bool:
        """Whether end offsets may decide which of a client's threads has which task."""
        common = kafka_release.behaviour(case.release).threads_balance_all_kinds
        return isinstance(answer, Assignment) and threads.lags_may_decide(self._group, answer, self._tasks, common_load=common)

    def _threads_only(self, best: list[tuple[int, Assignment | LeaderFailure]]) -> bool:
        return bool(best) and comparing.same_clients(best[0][1], self._recorded, self._group)

    def _open(self, answer: Assignment | LeaderFailure) -> Because | None:
        if isinstance(answer, LeaderFailure) or not (answer.undetermined_tasks or answer.undetermined):
            return None
        newest = kafka_release.behaviour(self._question.releases[-1]).metadata_version
        newer = any((one.metadata_version or 0) > newest for client in self._group.clients for one in client.consumers)
        return Because.NEWER_MEMBERS if newer else Because.JAVA

    def _combined(self, tried: list[_Tried], settings: Settings) -> Answer:
        fitting = [one for one in tried if one.fitting is not None]
        given = dict.fromkeys(release for one in fitting for release in one.case.same)
        if fitting:
            by_racks = (Because.RACKS,) if self._racks(settings) not in (None, "none") else ()
            because = (*dict.fromkeys(self._reasons(tried, fitting)), *by_racks)
            judged = Judged.INFERRED if because else Judged.EQUAL
            return Answer(self._result(judged, because, tuple(given)), self._explained(fitting[-1], settings))
        if self._recorded.error_code:
            return Answer(self._result(Judged.NOT_JUDGED, (Because.LEADER_ERROR,)))
        undecided = tuple(dict.fromkeys(one.open for one in tried if one.open is not None))
        if any(one.possible for one in tried):
            return Answer(self._result(Judged.INFERRED, undecided))
        if any(one.java_decides for one in tried):
            return Answer(self._result(Judged.NOT_JUDGED, (Because.JAVA,)))
        nearest = min(tried, key=lambda one: len(one.differences))
        if self._racks(settings) != "none":
            return Answer(self._result(Judged.NOT_JUDGED, (Because.RACKS,)))
        if not all(one.exhaustive for one in tried):
            return Answer(self._result(Judged.NOT_JUDGED, (Because.END_OFFSETS,)))
        return Answer(replace(self._result(Judged.DIFFERENT, ()), differences=nearest.differences))

    def _racks(self, settings: Settings) -> str | None:
        """The strategy by which racks decide; None: not given, though members say their racks. Where replicas were is gone."""
        if all(client.rack is None for client in self._group.clients):
            return "none"
        given = dict(settings).get("rack.aware.assignment.strategy")
        return None if given is None else str(given)

    def _reasons(self, tried: list[_Tried], fitting: list[_Tried]) -> Iterator[Because]:
        if {one.case.release for one in tried} != {one.case.release for one in fitting}:
            yield Because.RELEASE
        if {one.case.stateless for one in tried} != {one.case.stateless for one in fitting}:
            yield Because.STATE
        if {one.case.leader for one in tried} != {one.case.leader for one in fitting}:
            yield Because.LEADER
        if any(one.others or not one.exhaustive for one in fitting):
            yield Because.END_OFFSETS

    def _explained(self, tried: _Tried, settings: Settings) -> Explained:
        assert tried.fitting is not None, "it gives the recorded decision"
        case, totals = tried.case, tried.fitting
        tasks = tuple(
            task.at(totals.get(task.id, 0), stateful=task.stateful is not False and task.id.subtopology not in case.stateless)
            for task in self._question.tasks
        )
        config = self._config(case.release, settings)
        group = replace(self._group, release=case.release, config=config, leader_process_id=case.leader, tasks=tasks)
        return Explained(group, settings)

    def _result(self, judged: Judged, because: tuple[Because, ...], given: tuple[str, ...] = ()) -> RebalanceResult:
        generation = self._question.generation
        return RebalanceResult(generation.number, generation.completed_at, judged, because, "", given, self._question.releases)
