"""The JSON Schema (draft 2020-12) of every contract, by name: what `holdfast schema` prints.

They are written beside the codec, from the same enumerations and bounds, and tests hold the two together: what the codec writes is
valid here; what is not valid here the codec refuses. The codec refuses more: contradictions between fields.
"""

from holdfast.rollout.schema import consumer, given, journal, made
from holdfast.rollout.schema.shapes import Shape

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CONTRACTS: dict[str, Shape] = {
    "snapshot": given.SNAPSHOT,
    "change": given.CHANGE,
    "forecast": made.FORECAST,
    "assignment": made.ASSIGNMENT,
    "policy": given.POLICY,
    "plan": made.PLAN,
    "approval": given.APPROVAL,
    "journal": journal.JOURNAL,
    "verdict": made.VERDICT,
    "staleness": made.STALENESS,
    "consumer-snapshot": consumer.SNAPSHOT,
    "consumer-change": consumer.CHANGE,
    "consumer-assignment": consumer.ASSIGNMENT,
    "consumer-forecast": consumer.FORECAST,
    "consumer-plan": consumer.PLAN,
}


def schema_of(contract: str) -> Shape:
    """The schema of one contract of `CONTRACTS`, with its dialect and title."""
    return {"$schema": DIALECT, "title": contract.capitalize()} | CONTRACTS[contract]
