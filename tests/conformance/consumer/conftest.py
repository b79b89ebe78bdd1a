"""One JVM for each release and all files of this folder: one that has answered before takes a third of the time for its answers."""

from collections.abc import Iterator

import pytest
from tests.conformance.consumer.assignors_jvm import PlainJvm


@pytest.fixture(scope="package")
def jvm(request: pytest.FixtureRequest) -> Iterator[PlainJvm]:
    """That of a release: `@pytest.mark.parametrize("jvm", RELEASES, indirect=True)`."""
    with PlainJvm(request.param) as started:
        yield started
