"""`tests/harness/suite/measured.py`: which tests count for the coverage that is held."""

import pytest
from tests.harness.suite.measured import watched


def test_a_test_is_watched_unless_it_is_thorough(request: pytest.FixtureRequest) -> None:
    assert watched(request.node)
    request.node.add_marker("thorough")
    assert not watched(request.node)
