"""What `holdfast guard` answers of a group of any kind: what its next rebalance, or its next target, moves, whatever causes it."""

from dataclasses import dataclass

from holdfast.rollout.text.document_blocks import Block

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Guarded:
    """The answer as a document, and as a person reads it, its result as the title."""

    document: Row
    blocks: tuple[Block, ...]
