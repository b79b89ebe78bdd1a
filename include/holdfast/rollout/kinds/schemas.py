"""The JSON Schema (draft 2020-12) of every contract, by name: what `holdfast schema` prints.

Each is made from the same enumerations and bounds as the reader and the writer of its noun, and tests compare them:
what is written is valid here; what is not valid here the reader refuses. A reader refuses more: contradictions between fields.
"""

from typing import Any

from holdfast.rollout.backtest.results import Backtest
from holdfast.rollout.journal.journal import Approval, Journal
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.kinds.protocols.comparison import COMPARISON
from holdfast.rollout.kinds.registry import kinds
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.teams.teams import Teams

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CONTRACTS: dict[str, Codec[Any]] = {
    "policy": POLICY,
    "teams": codec_of(Teams),
    "approval": codec_of(Approval),
    "journal": codec_of(Journal),
    "backtest": codec_of(Backtest),
    "comparison": COMPARISON,
    **{name: codec for kind in kinds() for name, codec in kind.contracts.items()},
}


def schema_of(contract: str) -> Shape:
    """The schema of one contract of `CONTRACTS`, with its dialect and title."""
    return {"$schema": DIALECT, "title": contract.capitalize()} | CONTRACTS[contract].shape()
