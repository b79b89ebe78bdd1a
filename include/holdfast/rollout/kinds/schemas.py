"""The JSON Schema (draft 2020-12) of every contract, by name: what `holdfast schema` prints.

Each stands beside the reader and the writer of its noun, made from the same enumerations and bounds, and tests hold them together:
what is written is valid here; what is not valid here the reader refuses. A reader refuses more: contradictions between fields.
"""

from holdfast.rollout.consumer.change import schema as consumer_change
from holdfast.rollout.consumer.forecast import schema as consumer_forecast
from holdfast.rollout.consumer.plan import schema as consumer_plan
from holdfast.rollout.consumer.snapshot import schema as consumer_snapshot
from holdfast.rollout.journal.journal import Approval, Journal
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.streams.change import schema as change
from holdfast.rollout.streams.execution import schema as execution
from holdfast.rollout.streams.forecast import schema as forecast
from holdfast.rollout.streams.plan import schema as plan
from holdfast.rollout.streams.snapshot import schema as snapshot

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CONTRACTS: dict[str, Shape] = {
    "snapshot": snapshot.SNAPSHOT,
    "change": change.CHANGE,
    "forecast": forecast.FORECAST,
    "assignment": forecast.ASSIGNMENT,
    "policy": POLICY.shape(),
    "plan": plan.PLAN,
    "approval": codec_of(Approval).shape(),
    "journal": codec_of(Journal).shape(),
    "verdict": execution.VERDICT,
    "staleness": execution.STALENESS,
    "consumer-snapshot": consumer_snapshot.SNAPSHOT,
    "consumer-change": consumer_change.CHANGE,
    "consumer-assignment": consumer_forecast.ASSIGNMENT,
    "consumer-forecast": consumer_forecast.FORECAST,
    "consumer-plan": consumer_plan.PLAN,
}


def schema_of(contract: str) -> Shape:
    """The schema of one contract of `CONTRACTS`, with its dialect and title."""
    return {"$schema": DIALECT, "title": contract.capitalize()} | CONTRACTS[contract]
