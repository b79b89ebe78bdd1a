"""The newest score of a group, for a plan."""

import logging
from typing import TYPE_CHECKING

from holdfast.airflow_wiring.airflow_objects import lake
from holdfast.errors import StatePathTrouble

if TYPE_CHECKING:
    from holdfast.rollout.backtest.past import PastScore
    from holdfast.rollout.group.values import AnySnapshot

log = logging.getLogger(__name__)


def score_of(snapshot: "AnySnapshot") -> "PastScore | None":
    """How Holdfast decided past rebalances of the group, or of groups like it, in the newest night of its cluster. None: there is
    none, or its table cannot be read, which is logged: a plan is made without it."""
    from holdfast.adapters.lake.parquet_tables import ParquetTables
    from holdfast.rollout.kinds.registry import kind_of
    from holdfast.rollout.tables import past_rows

    try:
        tables = ParquetTables(lake().url)
        nights = tables.days("backtests", snapshot.cluster)[-2:]
        rows = [tables.rows("backtests", [night], past_rows.COLUMNS, cluster=snapshot.cluster) for night in nights]
    except StatePathTrouble as trouble:
        log.warning("The score of the group is left out: %s", trouble)
        return None
    now, before = (rows[-1] if rows else ()), (rows[0] if len(rows) > 1 else ())
    return past_rows.score_of(now, before, snapshot.group_id, kind_of(snapshot).protocol, snapshot.kafka_release)
