"""Runs over pods that are killed while their API server goes away: a small form of `tests.live.running.kubernetes_campaign`."""

import random

import pytest
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.kubernetes.pod_group import Trouble
from tests.live.running import kubernetes_campaign


@pytest.mark.thorough
@pytest.mark.parametrize("scenario", kubernetes_campaign.SCENARIOS)
def test_each_pod_is_replaced_ended_or_added_once(driven: Cluster, scenario: str) -> None:
    trouble = Trouble(random.Random(4), 12)
    found = kubernetes_campaign.one_round(driven, scenario, trouble)

    assert found["as_wanted"], found
    assert sum(trouble.found.values()) > 5
