"""How much is read, and from whom: the values that forecasts and costs share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amount:
    """Records, counted by offset, and their bytes (None: not known): both at most, as in `changelog_sizes`."""

    records: int
    size: int | None = None

    def bytes_at(self, bytes_per_record: int | None) -> int | None:
        """As measured; where that is not known, at so many bytes a record (None: then it is not known either)."""
        if self.size is not None or not self.records:
            return self.size or 0
        return None if bytes_per_record is None else self.records * bytes_per_record


@dataclass(frozen=True, slots=True)
class BrokerReads:
    """What one broker serves to clients that restore: it leads these changelog partitions. `broker` None: nobody knows who leads.

    `at_once`: the most that restores which begin in one rebalance ask of it.
    """

    broker: int | None
    total: Amount
    at_once: Amount
