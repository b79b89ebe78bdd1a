"""Many collections of one cluster: each as if it were alone, with concurrent requests batched.

Each runs in a thread of its own, and mostly waits. Whenever all of them wait, their questions are put together, one of each kind,
and answered. So nothing has to be known beforehand of what a collection will ask, and one group is read as ten thousand are.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import (
    ClusterInfo,
    ClusterReader,
    GroupConfigs,
    History,
    ManyGroupsReader,
    ObservedGroup,
    Operations,
    PartitionFigures,
    RecordedTargets,
)
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Topic

T = TypeVar("T")
Aside = Callable[[Callable[[], Any]], Any]
"""Does what may take long and asks the cluster nothing: the others do not wait for it."""
Work = Callable[[str, ClusterReader, Aside], T]


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What became of the work on `name`: a result, or why there is none."""

    name: str
    result: T | None
    refusal: HoldfastError | None = None


def together(cluster: ManyGroupsReader, names: Iterable[str], at_once: int, work: Work[T]) -> Iterator[Done[T]]:
    """`work` on every name, `at_once` at once, as each gets done. It gets a reader of the cluster, and an `Aside`.

    `names` is asked for the next one when there is room for it. Questions are asked in the caller's thread, while it waits here.
    Raise what `work` raises, unless it is a refusal.
    """
    desk = _Desk()
    waiting = iter(names)
    running = 0
    try:
        while True:
            while running < at_once and (name := next(waiting, None)) is not None:
                desk.start(name, work)
                running += 1
            if not running:
                return
            done, questions = desk.next()
            for name, outcome in done:
                running -= 1
                if isinstance(outcome, BaseException) and not isinstance(outcome, HoldfastError):
                    raise outcome
                yield Done(name, None, outcome) if isinstance(outcome, HoldfastError) else Done(name, outcome)
            _answer_all(cluster, questions)
            desk.go_on(questions)
    finally:
        desk.close()


@dataclass(slots=True)
class _Question:
    kind: str
    about: Any
    answer: Any = None
    answered: threading.Event = field(default_factory=threading.Event)


class _Desk:
    """Counts who is at work, and takes questions. `_busy` threads neither wait for an answer nor for something else."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = 0
        self._open: list[_Question] = []
        self._done: list[tuple[str, Any]] = []
        self._closed = False

    def start(self, name: str, work: Work[T]) -> None:
        def run() -> None:
            try:
                outcome: Any = work(name, _Reader(self), self.aside)
            except BaseException as trouble:  # noqa: BLE001 - handed over to the caller's thread
                outcome = trouble
            with self._changed:
                self._busy -= 1
                self._done.append((name, outcome))
                self._changed.notify_all()

        with self._changed:
            self._busy += 1
        threading.Thread(target=run, name=f"holdfast-{name[:40]}", daemon=True).start()

    def ask(self, kind: str, about: Any) -> Any:
        question = _Question(kind, about)
        with self._changed:
            if self._closed:
                raise ClusterTrouble("the collection was given up")
            self._open.append(question)
            self._busy -= 1
            self._changed.notify_all()
        question.answered.wait()
        if isinstance(question.answer, HoldfastError):
            raise question.answer
        return question.answer

    def aside(self, action: Callable[[], Any]) -> Any:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()
        try:
            return action()
        finally:
            with self._changed:
                self._busy += 1

    def next(self) -> tuple[list[tuple[str, Any]], list[_Question]]:
        """Wait until a worker is done, or every worker waits. What got done, and the questions if every worker waits for an
        answer."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0 and (self._open or self._done))
            done, self._done = self._done, []
            questions: list[_Question] = []
            if not done:
                questions, self._open = self._open, []
            return done, questions

    def go_on(self, questions: list[_Question]) -> None:
        with self._changed:
            self._busy += len(questions)
        for question in questions:
            question.answered.set()

    def close(self) -> None:
        """A worker that still waits, or asks, is refused."""
        with self._changed:
            self._closed = True
            questions, self._open = self._open, []
        for question in questions:
            question.answer = ClusterTrouble("the collection was given up")
        self.go_on(questions)


class _Reader:
    """`ClusterReader` of one collection among many."""

    def __init__(self, desk: _Desk) -> None:
        self._desk = desk

    def info(self) -> ClusterInfo:
        return self._desk.ask("info", ())  # type: ignore[no-any-return]

    def group(self, group_id: str) -> ObservedGroup:
        return self._desk.ask("groups", group_id)  # type: ignore[no-any-return]

    def group_ids(self, prefix: str = "") -> tuple[str, ...]:
        return self._desk.ask("group_ids", (prefix,))  # type: ignore[no-any-return]

    def topic_names(self, prefix: str = "") -> tuple[str, ...]:
        return self._desk.ask("topic_names", (prefix,))  # type: ignore[no-any-return]

    def topics(self, names: tuple[str, ...]) -> tuple[tuple[Topic, ...], tuple[Unknown, ...]]:
        return self._desk.ask("topics", names)  # type: ignore[no-any-return]

    def topic_ids(self, names: tuple[str, ...]) -> Mapping[str, int]:
        return self._desk.ask("topic_ids", names)  # type: ignore[no-any-return]

    def committed_offsets(self, group_id: str) -> tuple[tuple[TopicPartition, int], ...]:
        return self._desk.ask("commits", group_id)  # type: ignore[no-any-return]

    def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._desk.ask("end_offsets", partitions)  # type: ignore[no-any-return]

    def begin_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._desk.ask("begin_offsets", partitions)  # type: ignore[no-any-return]

    def log_bytes(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._desk.ask("log_bytes", partitions)  # type: ignore[no-any-return]

    def generations(self, group_id: str) -> History:
        return self._desk.ask("histories", group_id)  # type: ignore[no-any-return]

    def group_configs(self, group_id: str) -> GroupConfigs:
        return self._desk.ask("configs", group_id)  # type: ignore[no-any-return]

    def recorded_targets(self, group_id: str) -> RecordedTargets:
        return self._desk.ask("targets", group_id)  # type: ignore[no-any-return]

    def group_rights(self, group_id: str) -> Operations:
        raise AssertionError(f"rights on {group_id!r} are not read when many groups are collected")

    def topic_rights(self, names: tuple[str, ...]) -> tuple[tuple[str, Operations], ...]:
        raise AssertionError(f"rights on {names} are not read when many groups are collected")

    def cluster_rights(self) -> Operations:
        raise AssertionError("rights on the cluster are not read when many groups are collected")


def _answer_all(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
    by_kind: dict[str, list[_Question]] = {}
    for question in questions:
        by_kind.setdefault(question.kind, []).append(question)
    for kind, alike in by_kind.items():
        try:
            _ANSWERS[kind](cluster, alike)
        except HoldfastError as trouble:
            for question in alike:
                question.answer = trouble


def _alone(ask: str) -> Callable[[ManyGroupsReader, list[_Question]], None]:
    """Asked one by one: what it takes is known after the first."""

    def answer(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
        for question in questions:
            question.answer = getattr(cluster, ask)(*question.about)

    return answer


def _by_group(ask: str) -> Callable[[ManyGroupsReader, list[_Question]], None]:
    def answer(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
        found: Mapping[str, Any] = getattr(cluster, ask)(tuple(dict.fromkeys(question.about for question in questions)))
        for question in questions:
            question.answer = found[question.about]

    return answer


def _figures(ask: str, called: str) -> Callable[[ManyGroupsReader, list[_Question]], None]:
    def answer(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
        listed, unknown = getattr(cluster, ask)(tuple(dict.fromkeys(one for question in questions for one in question.about)))
        found, reasons = dict(listed), {one.what: one for one in unknown}
        for question in questions:
            wanted = sorted(dict.fromkeys(question.about))
            known = tuple((one, found[one]) for one in wanted if one in found)
            names = dict.fromkeys(f"{called}.{name}" for one in wanted if one not in found for name in (one, one.topic))
            question.answer = known, tuple(reasons[name] for name in names if name in reasons)

    return answer


def _topics(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
    described, unknown = cluster.topics(tuple(dict.fromkeys(name for question in questions for name in question.about)))
    found, unread = {topic.name: topic for topic in described}, {one.what: one for one in unknown}
    for question in questions:
        wanted = sorted(dict.fromkeys(question.about))
        known = tuple(found[name] for name in wanted if name in found)
        question.answer = known, tuple(unread[f"topics.{name}"] for name in wanted if f"topics.{name}" in unread)


def _topic_ids(cluster: ManyGroupsReader, questions: list[_Question]) -> None:
    found = cluster.topic_ids(tuple(dict.fromkeys(name for question in questions for name in question.about)))
    for question in questions:
        question.answer = {name: found[name] for name in question.about if name in found}


_ANSWERS: Mapping[str, Callable[[ManyGroupsReader, list[_Question]], None]] = {
    "info": _alone("info"),
    "group_ids": _alone("group_ids"),
    "topic_names": _alone("topic_names"),
    "groups": _by_group("groups"),
    "commits": _by_group("commits"),
    "histories": _by_group("histories"),
    "configs": _by_group("configs"),
    "targets": _by_group("targets"),
    "topics": _topics,
    "topic_ids": _topic_ids,
    "end_offsets": _figures("end_offsets", "end_offset"),
    "begin_offsets": _figures("begin_offsets", "begin_offset"),
    "log_bytes": _figures("log_bytes", "log_bytes"),
}
