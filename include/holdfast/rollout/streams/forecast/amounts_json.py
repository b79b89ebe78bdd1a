"""The JSON of what brokers serve while clients restore."""

from holdfast.kafka import java
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields, nullable
from holdfast.rollout.streams.forecast.amounts import Amount, BrokerReads

NOBODY_KNOWS = "unknown"
"""Stands for the broker of changelogs whose leader is not known."""


count = strict.offset


def reads_from_json(value: object) -> tuple[BrokerReads, ...]:
    def read(key: str, item: object) -> BrokerReads:
        fields = Fields(item)
        found = BrokerReads(_broker(key), fields.need("total", amount_from_json), fields.need("at_once", amount_from_json))
        fields.finish(closed=True)
        return found

    return strict.each_entry(value, read)


def reads_to_json(reads: tuple[BrokerReads, ...]) -> dict[str, object]:
    return {
        NOBODY_KNOWS if one.broker is None else str(one.broker): {
            "total": amount_to_json(one.total),
            "at_once": amount_to_json(one.at_once),
        }
        for one in reads
    }


def _broker(key: str) -> int | None:
    if key == NOBODY_KNOWS:
        return None
    if not (key.isascii() and key.isdecimal() and len(key) <= 10 and str(int(key)) == key):
        raise strict.mismatch(f"a broker's ID, or {NOBODY_KNOWS!r}", key)
    return strict.integer(int(key), 0, java.INT_MAX)


def amount_from_json(value: object) -> Amount:
    fields = Fields(value)
    found = Amount(fields.need("records", count), fields.need("bytes", nullable(count)))
    fields.finish(closed=True)
    return found


def amount_to_json(amount: Amount) -> dict[str, object]:
    return {"records": amount.records, "bytes": amount.size}
