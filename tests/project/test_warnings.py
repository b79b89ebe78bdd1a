"""A warning in the tests of our own code is an error (`tests/conftest.py`)."""

import warnings

import pytest


@pytest.mark.parametrize("kind", [DeprecationWarning, ResourceWarning, RuntimeWarning])
def test_a_warning_is_an_error(kind: type[Warning]) -> None:
    with pytest.raises(kind):
        warnings.warn("old", kind, stacklevel=1)
