"""Where a consumer group is in the forecast of its plan, after each batch of events: partition by partition.

What is compared is the forecast with the member IDs that consumers really got, as `verify` does at the end.
"""

from collections.abc import Iterator

from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.execution import acts
from holdfast.rollout.consumer.execution.courses import courses
from holdfast.rollout.consumer.execution.verify import at_the_end, paired
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.member_order import readers_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.execution.parts import at_rest, part
from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared, RoundsOfBatch, WhoRunsWhat, compare, not_compared
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Differs


def compared(
    plan: ConsumerPlan, basis: ConsumerSnapshot, after: str, until: ConsumerStep, fresh: ConsumerSnapshot
) -> RoundCompared:
    """As that of `streams.execution.rounds`. At rest: every partition has a reader, so that none is withheld."""
    assert plan.recommended_option is not None, "a plan without a recommended option is not carried out"
    events = part(plan.recommended_option.change.numbered_batches(), plan.steps, acts.waits, after, until.id)
    if events is None:
        return not_compared(NotCompared.STEPS)
    change = ConsumerChange(events)
    pairings, known_as, trouble = paired(basis, change, fresh)
    if trouble is not None:
        return not_compared(NotCompared.MEMBERS, difference_words.sentence(trouble[1]))
    reads = readers_of(fresh)
    if reads is None:
        return not_compared(NotCompared.UNKNOWN)
    now = _texts({one: known_as.get(reader, reader) for one, reader in reads.items()})
    possible = courses(basis, change, pairings)
    ranked, drawn = ([one for each in some for one in _course(basis, each)] for some in (possible.changes, possible.draws))
    found = [*ranked, *drawn]
    if not found:
        return not_compared(NotCompared.UNKNOWN, "The forecast with the member IDs that were found does not become stable.")
    settled = all(partition in now for partition in found[0].end.owners)
    result = compare(WhoRunsWhat(now), found, settled or None, Differs.READER)
    every = possible.all_of_them and all(any(one.end == each.end for each in ranked) for one in drawn)
    if result.agrees is Agrees.DIFFERENT and not every:
        return not_compared(NotCompared.UNKNOWN, "Too many courses are possible to compare them all.")
    return result


def _course(basis: ConsumerSnapshot, change: ConsumerChange) -> Iterator[RoundsOfBatch]:
    outcome = forecast(basis, change).outcome
    before = readers_of(basis)
    if not outcome.stable or before is None:
        return
    counts = [act.rebalances for act in outcome.acts]
    first, rest = sum(counts[:-1]), sum(counts[: at_rest(change.numbered_batches())])
    names = dict(pair for item in change.statements() for pair in item.renamed())
    start = _texts({one: names.get(reader, reader) for one, reader in before.items()} if not outcome.rounds else before)
    after = [rebalances.readers_after(one.decision) for one in outcome.rounds]
    if after:
        after[-1] = at_the_end(outcome, change, after[-1])
    placed = [WhoRunsWhat(start), *(WhoRunsWhat(_texts(one)) for one in after)]
    yield RoundsOfBatch(placed[first], tuple(placed[first + 1 :]), tuple(placed[rest:first]))


def _texts(reads: Readers) -> dict[str, str]:
    return {str(partition): reader for partition, reader in reads.items()}
