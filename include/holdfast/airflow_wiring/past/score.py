"""The newest score of a group, for a plan."""

import logging
from typing import TYPE_CHECKING

from holdfast.airflow_wiring.airflow_objects import lake_address
from holdfast.errors import StatePathTrouble

if TYPE_CHECKING:
    from holdfast.rollout.backtest.past import PastScore
    from holdfast.rollout.group.values import AnySnapshot

log = logging.getLogger(__name__)


def score_of(snapshot: "AnySnapshot") -> "PastScore | None":
    """As `past.newest`. None too where its table cannot be read, which is logged: a plan is made without it."""
    from holdfast.adapters.lake.parquet_tables import ParquetTables
    from holdfast.workflows import past

    try:
        return past.newest(ParquetTables(lake_address()), snapshot)
    except StatePathTrouble as trouble:
        log.warning("The score of the group is left out: %s", trouble)
        return None
