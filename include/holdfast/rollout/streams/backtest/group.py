"""The backtest of one classic Streams group: its records twice, oldest first."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.kafka import topology
from holdfast.kafka.topology import Clues
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.backtest import stops
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Because, Judged, Setting
from holdfast.rollout.backtest.results import Given, GroupBacktest, Led, Tally
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.backtest.history import Facts, Present, Questions
from holdfast.rollout.streams.backtest.judge import Answer, judge
from holdfast.rollout.streams.backtest.learning import Learning
from holdfast.rollout.streams.backtest.question import Settings, StreamsQuestion
from holdfast.rollout.streams.backtest.sequences import Sequences
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL

Records = Callable[[], Iterable[Generation]]
"""The completed rebalances of one group, oldest first; asked for more than once."""
OnMismatch = Callable[[StreamsQuestion, Answer], None]

_STANDBYS, _LAG, _WARMUPS = "num.standby.replicas", "acceptable.recovery.lag", "max.warmup.replicas"
_INTERVAL = "probing.rebalance.interval.ms"
_DEFAULTS: Mapping[str, ConfigValue] = {_LAG: 10_000, _WARMUPS: 2}
_LAGS = (0, 100, 1_000, 100_000, 1_000_000)
"""What is tried for acceptable.recovery.lag where it is not given and Kafka's default does not fit."""

_UNEXPLAINED = {Judged.DIFFERENT: 1.0, Judged.NOT_JUDGED: 0.5}
_OTHER_SETTINGS = 0.25
"""Of one that another number of standbys explains."""
_FEW = 0.1
"""Of the sample that Kafka's defaults may leave unexplained without others being tried."""


@dataclass(frozen=True, slots=True)
class _Learnt:
    """What all of a group's rebalances show."""

    facts: Facts
    present: Present
    config: Settings
    settings: tuple[Setting, ...]


def backtest(group_id: str, records: Records, given: Given, on_mismatch: OnMismatch | None = None) -> GroupBacktest:
    """Every rebalance judged, every sequence forecast again. `on_mismatch` is handed each question whose answer differs."""
    learnt = _learn(group_id, records, given)
    tally, sequences = Tally(), Sequences(group_id)
    learning = Learning(learnt.config, learnt.facts.session_s, stops.moments(given.stopped))
    for generation, question, answer in _answers(records, learnt, given):
        learning.take(generation, question)
        if given.since is not None and generation.completed_at < given.since:
            continue
        tally.take(Led(question.releases), answer.result)
        if answer.result.judged is Judged.DIFFERENT and on_mismatch is not None:
            on_mismatch(question, answer)
        for one in sequences.take(generation, answer):
            tally.end(one)
    for one in sequences.end():
        tally.end(one)
    standbys = dict(learnt.config).get(_STANDBYS)
    found = tally.result(group_id, PROTOCOL, learnt.settings, standbys if isinstance(standbys, int) else None)
    return replace(found, learnt=learning.learnt(sequences.courses))


def _answers(records: Records, learnt: _Learnt, given: Given) -> Iterator[tuple[Generation, StreamsQuestion, Answer]]:
    known = frozenset(name for name, _ in given.config)
    questions = Questions(learnt.facts, learnt.present, given.release, learnt.config, known)
    for generation in records():
        question = questions.of(generation)
        yield generation, question, judge(question)


def _learn(group_id: str, records: Records, given: Given) -> _Learnt:
    facts = Facts()
    for generation in records():
        facts.take(generation)
    present = _present(group_id, facts, given)
    config = tuple(sorted((dict(_DEFAULTS) | dict(given.config)).items()))
    if facts.settings_matter and not (_LAG in dict(given.config) and _WARMUPS in dict(given.config)):
        config = _fitted(records, facts, present, given, config)
    shown: dict[str, ConfigValue] = {_STANDBYS: facts.standby_replicas(-1)[0]}
    if facts.probing_interval_ms is not None:
        shown[_INTERVAL] = facts.probing_interval_ms
    shown |= dict(config)
    settings = tuple(Setting(name, _text(value), _source(name, value, given)) for name, value in sorted(shown.items()))
    return _Learnt(facts, present, tuple(sorted(shown.items())), settings)


def _source(name: str, value: ConfigValue, given: Given) -> str:
    if name in dict(given.config):
        return "given"
    return "default" if _DEFAULTS.get(name) == value else "records"


def _text(value: ConfigValue) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _present(group_id: str, facts: Facts, given: Given) -> Present:
    """What the changelog topics show: which subtopologies keep state, and how far end offsets are now."""
    tasks = facts.last_tasks()
    counts = {topic: len(ends) for topic, ends in given.changelogs}
    for _, partitions in tasks:
        for topic, number in partitions:
            counts[topic] = max(counts.get(topic, 0), number + 1)
    reported, silent = facts.clues()
    found = topology.changelogs(group_id, tasks, counts, Clues(reported=reported, silent=silent))
    ends_of = dict(given.changelogs)
    stateful: dict[int, bool] = {}
    ends: dict[TaskId, int] = {}
    for subtopology, topics in found.changelogs:
        if topics is None:
            continue
        stateful[subtopology] = bool(topics)
        for task, _ in tasks:
            if task.subtopology == subtopology and topics and all(topic in ends_of for topic in topics):
                each = [ends_of[topic][task.partition] if task.partition < len(ends_of[topic]) else None for topic in topics]
                if None not in each:
                    ends[task] = sum(one for one in each if one is not None)
    return Present(stateful, ends)


def _fitted(records: Records, facts: Facts, present: Present, given: Given, config: Settings) -> Settings:
    """Where settings were not given: Kafka's defaults, unless others explain more of the rebalances in which they matter."""
    sample = tuple(_sampled(records, facts, Questions(facts, present, given.release, config, frozenset(dict(given.config)))))

    def unexplained(settings: Settings, most: float) -> float:
        """How many of the sample, up to `most`; half of one that cannot be judged."""
        found = 0.0
        for one in sample:
            result = judge(_with(one, settings)).result
            found += _OTHER_SETTINGS if Because.SETTINGS in result.because else _UNEXPLAINED.get(result.judged, 0.0)
            if found >= most:
                break
        return found

    best, left = config, unexplained(config, len(sample) + 1)
    if left <= len(sample) * _FEW:
        return config
    for lag in _values(_LAG, given, (10_000, *_LAGS)):
        for warmups in _values(_WARMUPS, given, (2, *_often(facts), 1)):
            if not left:
                return best
            other = tuple(sorted((dict(config) | lag | warmups).items()))
            found = unexplained(other, left)
            if found < left:
                best, left = other, found
    return best


def _values(name: str, given: Given, values: Iterable[int]) -> list[dict[str, ConfigValue]]:
    """What a setting may be; nothing to try where it was given."""
    return [{}] if name in dict(given.config) else [{name: value} for value in dict.fromkeys(values)]


def _often(facts: Facts) -> list[int]:
    """Numbers of warm-ups that occur: the most, and what is most frequent."""
    counts = {count: times for count, times in facts.warmups.items() if count > 0}
    often = sorted(counts, key=lambda count: (-counts[count], count))[:2]
    return [max(counts), *often] if counts else []


def _with(question: StreamsQuestion, settings: Settings) -> StreamsQuestion:
    """By the newest release that it may be."""
    config, *alternatives = (
        tuple(sorted((dict(one) | dict(settings)).items())) for one in (question.config, *question.alternatives)
    )
    return replace(question, releases=question.releases[-1:], config=config, alternatives=tuple(alternatives))


def _sampled(records: Records, facts: Facts, questions: Questions) -> Iterator[StreamsQuestion]:
    """As they are judged later: with what the rebalances before them reported."""
    numbers = frozenset(facts.settings_matter)
    left = len(numbers)
    for generation in records():
        question = questions.of(generation)
        if generation.number in numbers:
            yield question
            left -= 1
            if not left:
                return
