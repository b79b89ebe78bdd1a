"""One JVM for each release and all files of this folder: one that has answered before takes a third of the time for its answers."""

from collections.abc import Iterator

import pytest
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm


@pytest.fixture(scope="package")
def jvm(request: pytest.FixtureRequest) -> Iterator[WholeCoordinatorJvm]:
    """That of a release: `@pytest.mark.parametrize("jvm", RELEASES, indirect=True)`."""
    with WholeCoordinatorJvm(request.param) as started:
        yield started
