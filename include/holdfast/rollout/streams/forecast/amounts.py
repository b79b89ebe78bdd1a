"""Records and bytes read, and from which broker: values that forecasts and costs share."""

from holdfast.kafka import java
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import COUNT, TEXT, Codec, nullable
from holdfast.rollout.json.record import codec_of, key, keyed, member, record


@record
class Amount:
    """Records, counted by offset, and their bytes (None: unknown): both at most, as in `changelog_sizes`."""

    records: int = member(COUNT, "By offset, at most.")
    size: int | None = member(nullable(COUNT), name="bytes", default=None, needed=True)

    def bytes_at(self, bytes_per_record: int | None) -> int | None:
        """As measured; where that is unknown, at the given bytes a record (None: then unknown)."""
        if self.size is not None or not self.records:
            return self.size or 0
        return None if bytes_per_record is None else self.records * bytes_per_record


UNKNOWN_AMOUNT = "unknown"
"""Stands for the broker of changelogs whose leader is unknown."""


def _broker(key: str) -> int | None:
    if key == UNKNOWN_AMOUNT:
        return None
    if not (key.isascii() and key.isdecimal() and len(key) <= 10 and str(int(key)) == key):
        raise strict.mismatch(f"a broker's ID, or {UNKNOWN_AMOUNT!r}", key)
    return strict.integer(int(key), 0, java.INT_MAX)


BROKER: Codec[int | None] = TEXT.to(_broker, lambda broker: UNKNOWN_AMOUNT if broker is None else str(broker)).shaped(
    {"type": "string", "pattern": f"^(0|[1-9][0-9]{{0,9}}|{UNKNOWN_AMOUNT})$"}
)


@record
class BrokerReads:
    """What one broker serves to clients that restore: it leads these changelog partitions. `broker` None: the leader is unknown.

    `at_once`: the most that restores which begin in one rebalance ask of it.
    """

    broker: int | None = key(BROKER)
    total: Amount = member(codec_of(Amount))
    at_once: Amount = member(codec_of(Amount))


READS = keyed(
    codec_of(BrokerReads), about="What each broker serves to clients that restore, by its ID; `at_once`: in one rebalance."
)
