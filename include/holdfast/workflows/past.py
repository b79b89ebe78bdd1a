"""What the past of a group makes of a plan: its score at the top, and what was learnt in place of what is assumed."""

from dataclasses import replace
from typing import Any

from holdfast.ports import Tables
from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.contract.plan_ids import plan_id_in
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.tables import past_rows
from holdfast.rollout.timing import learnt_speeds

TABLE = "backtests"


def newest(tables: Tables, snapshot: AnySnapshot) -> PastScore | None:
    """How Holdfast decided past rebalances of the group, or of groups like it, in the newest night of its cluster. None: there is
    none. Raise StatePathTrouble where the table cannot be read."""
    nights = tables.days(TABLE, snapshot.cluster)[-2:]
    rows = [tables.rows(TABLE, [night], past_rows.COLUMNS, cluster=snapshot.cluster) for night in nights]
    now, before = (rows[-1] if rows else ()), (rows[0] if len(rows) > 1 else ())
    return past_rows.score_of(now, before, snapshot.group_id, kind_of(snapshot).protocol, snapshot.kafka_release)


def with_learnt(policy: Policy, past: PastScore | None) -> Policy:
    """What a plan is made with. `past` None: no backtest was given."""
    return policy if past is None or past.learnt is None else learnt_speeds.with_learnt(policy, past.learnt)


def scored(plan: AnyPlan, past: PastScore, given: Policy) -> Any:
    """The plan with that score, under an ID of its own. It is made from `given`, the policy without what was learnt."""
    if past.learnt is not None:
        assumed = kind_of(plan.change).records_per_second(plan.change)
        past = replace(past, disagreements=learnt_speeds.disagreements(given, past.learnt, assumed))
    created_from = replace(plan.created_from, policy=fingerprint(policy_to_json(given)))
    found: Any = replace(plan, past=past, created_from=created_from)  # type: ignore[type-var] # every kind's plan is a dataclass
    return replace(found, plan_id=plan_id_in(any_document.plan_to_json(found)))
