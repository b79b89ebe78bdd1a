"""Nothing is found in the configurations of `known_healthy`."""

import pytest
from tests.unit.rollout.settings.known_healthy import HEALTHY

from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.settings import words


def test_there_are_enough_of_them() -> None:
    assert len(HEALTHY) >= 240


@pytest.mark.thorough
@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_sound_has_no_finding(name: str) -> None:
    given = HEALTHY[name].given
    report = examined(HEALTHY[name].group(), None if given is None else dict(given))

    assert [one.rule.name for one in report.findings] == [], words.title(report)
