"""Plans for the small streams group of `streams_groups`."""

from datetime import UTC, datetime
from typing import Any

from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as planning

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
QUICK = Policy(start_up_s_least=1, start_up_s=2, start_up_s_most=4)
"""Clients of this team are back within every interval."""


def planned(*events: Case, of: Case | None = None, policy: Policy | None = None, **how: Any) -> BrokerPlan:
    document = snapshot(cluster="prod", captured_at="2026-11-23T11:59:00Z") if of is None else of
    change = {"format_version": "1.0", "events": list(events)}
    plan: BrokerPlan = planning.make_from(("s", document), ("c", change), policy or QUICK, NOON, **how)
    return plan


def restart(process_id: str, **fields: Any) -> Case:
    """Of which every ID is given: one draw is enough."""
    members = [f"{process_id}{thread}x" for thread in range(2)]
    return {"restart_client": {"process_id": process_id, "member_ids": members} | fields}


STABLE = {"then": "stable"}
ROLL = (restart("a"), STABLE, restart("b"), STABLE, restart("c"))


def option(plan: BrokerPlan, name: str) -> Considered:
    return next(one for one in plan.candidates if one.name == name)
