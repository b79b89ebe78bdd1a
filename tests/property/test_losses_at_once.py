"""Losses that are forecast where they are counted are those that are forecast in pieces."""

import pytest
from tests.property.test_blast_radius import EVERYTHING_MS, with_standbys

from holdfast.rollout.json.strict import dumps
from holdfast.rollout.streams.kind import losses
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.tables import loss_rows


def test_without_a_budget_losses_are_forecast_where_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """And in pieces, as with a budget that goes to all, where that would take long."""
    document = dumps(snapshot_to_json(with_standbys(3)))
    in_pieces = loss_rows.whole(document, EVERYTHING_MS)

    assert loss_rows.losses(document, budget_ms=None)["losses"] == in_pieces["losses"]
    monkeypatch.setattr(losses, "AT_ONCE_US", 0)
    rows = loss_rows.losses(document, budget_ms=None)["losses"]
    assert isinstance(rows, list)
    assert any(row["work_us"] for row in rows)
    assert loss_rows.whole(document, None) == in_pieces
