"""An unknown Kafka release: whether the possible releases give the same result, and if not, where they differ."""

from collections.abc import Sequence

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Assignment, ClientAssignment, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.text.format import listed, many

Answers = Sequence[tuple[str, tuple[Outcome, ...]]]
"""A release and what would come about, oldest first."""


def unknown_release(answers: Answers) -> tuple[Unknown, ...]:
    """What not knowing the release leaves unknown. Raise CannotPredict where clients would get other tasks, or at other times."""
    releases = ", ".join(release for release, _ in answers)
    if len(answers) == 1:
        return ()
    _refuse_disagreement(answers)
    newest, shown = answers[-1]
    if all(_in_full(outcomes) == _in_full(shown) for _, outcomes in answers):
        return (Unknown("kafka_release", f"not given; {releases} all give the same result"),)
    reason = (
        f"not given; {releases} give every client the same tasks at the same times, but not every thread, nor the same temporary"
        f" standbys: those shown are of {newest}"
    )
    return (Unknown("kafka_release", reason),)


def _in_full(outcomes: tuple[Outcome, ...]) -> tuple[object, ...]:
    """All that a forecast shows. (What a copy on a disk reports may differ without any consequence.)"""
    return tuple((one.process_ids, one.stable, one.rounds, one.summary) for one in outcomes)


def _by_client(outcomes: tuple[Outcome, ...]) -> tuple[object, ...]:
    """The same without threads and temporary standbys."""
    return tuple(
        (
            one.process_ids,
            one.stable,
            one.summary,
            tuple((each.trigger, each.at_seconds, _clients(each.decision)) for each in one.rounds),
        )
        for one in outcomes
    )


def _clients(decision: Assignment | LeaderFailure) -> tuple[ClientAssignment, ...] | LeaderFailure:
    return decision if isinstance(decision, LeaderFailure) else decision.clients


def _refuse_disagreement(answers: Answers) -> None:
    alike: list[tuple[list[str], tuple[Outcome, ...]]] = []
    for release, outcomes in answers:
        same = next((names for names, known in alike if _by_client(known) == _by_client(outcomes)), None)
        if same is None:
            alike.append(([release], outcomes))
        else:
            same.append(release)
    if len(alike) > 1:
        place = _first_difference([outcomes for _, outcomes in alike])
        options = "; ".join(f"Kafka {', '.join(names)}: {_in_short(outcomes, place)}" for names, outcomes in alike)
        raise CannotPredict(
            f"The Kafka Streams release is unknown, and it matters here. {options}. Say which release the group runs."
        )


def _first_difference(options: Sequence[tuple[Outcome, ...]]) -> tuple[int, int, ProcessId] | None:
    """Outcome, round and client of the first decision that is not the same in all variants; None: it is not in a decision."""
    first, others = options[0], options[1:]
    for at, outcome in enumerate(first):
        for number, one in enumerate(outcome.rounds):
            for client in () if isinstance(one.decision, LeaderFailure) else one.decision.clients:
                if any(_client(other, at, number, client.process_id) != client for other in others):
                    return at, number, client.process_id
    return None


def _client(outcomes: tuple[Outcome, ...], at: int, number: int, process_id: ProcessId) -> ClientAssignment | None:
    if at >= len(outcomes) or number >= len(outcomes[at].rounds):
        return None
    decision = outcomes[at].rounds[number].decision
    if isinstance(decision, LeaderFailure):
        return None
    return next((client for client in decision.clients if client.process_id == process_id), None)


def _in_short(outcomes: tuple[Outcome, ...], place: tuple[int, int, ProcessId] | None) -> str:
    moved = sum(outcome.probability * outcome.summary.active_moved for outcome in outcomes)
    text = f"{many(round(moved), 'task')} moved in {many(outcomes[0].summary.rebalances, 'rebalance')}"
    if place is None:
        return text
    at, number, process_id = place
    client = _client(outcomes, at, number, process_id)
    if client is None:
        return text
    standby = listed(client.standby) or "none"
    return f"{text}, in rebalance {number + 1} {process_id} runs {listed(client.active) or 'none'} and stands by for {standby}"
