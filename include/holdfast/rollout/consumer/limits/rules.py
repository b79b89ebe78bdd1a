"""An option for a consumer group checked against the team's policy: a list of rules, each passed, failed or unknown."""

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.impact import times_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import verbs
from holdfast.rollout.contract.assessment import Rule
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import read_rules, rules
from holdfast.rollout.options.rules import Rebalances, RuleFacts, Share, Unstated
from holdfast.rollout.policy.policy import Policy


def judge(
    evaluated: EvaluatedConsumerOption, snapshot: ConsumerSnapshot, policy: Policy, asked_rebalances: int, unstated: Unstated
) -> tuple[Rule, ...]:
    """All rules; where nothing can be predicted, only that. `asked_rebalances`: what the requested change causes by itself."""
    summary, change = evaluated.summary, evaluated.option.change
    if summary is None:
        return rules.refused(evaluated.refused or Refusal(Refuses.OUTCOME), policy)
    found = RuleFacts(
        settles=evaluated.unsettled is None,
        unsettled=evaluated.unsettled,
        thing="partition",
        collateral=Share(summary.needless, summary.partitions),
        moved=Share(summary.moved, summary.partitions),
        times=(times_of(evaluated, policy),),
        restores=False,
        rebalances=Rebalances(summary.rebalances, None, asked_rebalances),
        verbs=tuple(verbs(change)),
        hosts=_touched_hosts(change, snapshot),
    )
    own = (
        read_rules.reads_on(evaluated.warnings, evaluated.offsets_unknown, policy),
        _partition_downtime(summary, policy),
    )
    return rules.judge(found, own, policy, unstated)


def _partition_downtime(summary: ConsumerSummary, policy: Policy) -> Rule:
    longest = summary.longest_stop
    return read_rules.partition_downtime(None if longest is None else (longest.usual, longest.most), policy)


def _touched_hosts(change: ConsumerChange, snapshot: ConsumerSnapshot) -> dict[str | None, None]:
    """The hosts of the consumers that steps touch; None: of one it is unknown."""
    known: dict[str | None, str | None] = {member.member_id: member.host for member in snapshot.members}
    found: dict[str | None, None] = {}
    for item in change.statements():
        same = item.renamed()
        for old, new in same:
            known[new] = known.get(old)
            found[known[new]] = None
        for gone, came in () if same else item.swaps():
            if gone is not None:
                found[known.get(gone)] = None
            if came is not None:
                found[known.setdefault(came, _given(item.joining()))] = None
    return found


def _given(consumer: NewConsumer | None) -> str | None:
    return consumer.host if consumer is not None and isinstance(consumer.host, str) else None
