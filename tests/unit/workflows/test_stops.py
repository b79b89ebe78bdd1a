"""Stops of a group's members are read from the journals of the plans that were applied to it, and from no other."""

import pytest
from tests.fakes.lake import MemoryLake
from tests.harness.plans import RESTARTED_AT, restarted_in_lake

from holdfast.rollout.journal.seal import NO_KEYS, SigningKeys
from holdfast.workflows import pasts

PLANS = {"3ab16d9280bf5305": "m-3", "4ab16d9280bf5305": "m-4"}
GROUP = ("here", "app")
KEYS = SigningKeys.read("k" * 44, "the test")


@pytest.fixture
def lake() -> MemoryLake:
    found = MemoryLake()
    for plan_id, member in PLANS.items():
        restarted_in_lake(found, plan_id, GROUP, member)
    return found


def test_stops_are_those_of_the_plans_of_the_group(lake: MemoryLake) -> None:
    restarted_in_lake(lake, "5ab16d9280bf5305", ("here", "other"), "m-5")

    assert pasts.stops(lake, GROUP, NO_KEYS) == (("m-3", RESTARTED_AT), ("m-4", RESTARTED_AT))
    assert pasts.stops(lake, ("here", "none"), NO_KEYS) == ()


@pytest.mark.parametrize("damaged", ["{", "{}"])
def test_a_journal_that_is_damaged_hides_no_other(lake: MemoryLake, damaged: str) -> None:
    lake.write(("plans", next(iter(PLANS)), "journal", "00001.json"), damaged.encode())

    assert pasts.stops(lake, GROUP, NO_KEYS) == (("m-4", RESTARTED_AT),)


def test_where_there_are_keys_what_is_not_signed_says_nothing(lake: MemoryLake) -> None:
    assert pasts.stops(lake, GROUP, KEYS) == ()
