"""An option for a consumer group whose broker assigns checked against the team's policy: rules, each passed, failed or unknown."""

from collections.abc import Mapping

from holdfast.rollout.broker_consumer.options import impact
from holdfast.rollout.broker_consumer.options.evaluation import EvaluatedGroupOption
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import verbs
from holdfast.rollout.contract.assessment import Rule
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.options import interval_rule, read_rules, rules
from holdfast.rollout.options.rules import Rebalances, RuleFacts, Share, Unstated
from holdfast.rollout.policy.policy import Policy


def judge(
    evaluated: EvaluatedGroupOption, snapshot: BrokerConsumerSnapshot, policy: Policy, asked_targets: int, unstated: Unstated
) -> tuple[Rule, ...]:
    """All rules; where nothing can be predicted, only that. `asked_targets`: what the requested change causes by itself.

    Where IDs are random, counts are the most of all possibilities."""
    summary, bounds = evaluated.summary, evaluated.bounds
    if summary is None:
        return rules.refused(evaluated.refused or Refusal(Refuses.OUTCOME), policy)
    shared = RuleFacts(
        settles=True,
        unsettled=None,
        thing="partition",
        collateral=Share(summary.collateral if bounds is None else bounds.collateral.most, summary.partitions),
        moved=Share(summary.moved if bounds is None else bounds.moved.most, summary.partitions),
        times=(impact.times_of(evaluated, policy),),
        restores=False,
        rebalances=Rebalances(summary.targets + summary.rebalances, None, asked_targets),
        verbs=tuple(verbs(evaluated.option.change)),
        hosts=_touched_hosts(evaluated, snapshot),
    )
    longest = impact.unowned(evaluated, policy)[1]
    own = (
        read_rules.reads_on(evaluated.warnings, evaluated.offsets_unknown, policy),
        read_rules.partition_downtime((round(longest.usual, 3), round(longest.most, 3)), policy),
        interval_rule.in_interval(evaluated.interval_ms, "consumer", policy),
        rules.evidence(evaluated.unknown, policy),
    )
    return rules.judge(shared, own, policy, unstated)


def _touched_hosts(evaluated: EvaluatedGroupOption, snapshot: BrokerConsumerSnapshot) -> Mapping[str | None, None]:
    """The hosts of the consumers that steps touch; None: of one it is unknown."""
    hosts: dict[str | None, str | None] = {one.member_id: one.host for one in snapshot.members}
    found: dict[str | None, None] = {}
    for event in evaluated.option.change.statements():
        if (stops := event.stops()) is not None:
            found[hosts.get(stops)] = None
        comes = event.comes()
        if comes is not None and not event.restarts():
            host = comes.consumer.host
            found[hosts.get(comes.old) if isinstance(host, FromOld) else host] = None
    return found
