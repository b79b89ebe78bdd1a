"""One JVM for each release and all files of this folder: one that has answered before takes a third of the time for its answers."""

from collections.abc import Iterator

import pytest
from tests.conformance.jvm import LeaderJvm


@pytest.fixture(scope="package")
def jvm(request: pytest.FixtureRequest) -> Iterator[LeaderJvm]:
    """That of a release: `@pytest.mark.parametrize("jvm", RELEASES, indirect=True)`."""
    with LeaderJvm(request.param) as started:
        yield started
