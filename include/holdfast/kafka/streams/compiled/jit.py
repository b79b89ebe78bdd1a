"""Numba's compiler, where it is installed; and where it keeps what it has compiled.

Compiling takes half a minute, so the machine code is kept on disk. Numba looks only at the file of the function that is called from
Python, not at those that it calls: so the folder is named by the digest of all of them.
"""

import hashlib
import importlib.util
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., Any])

SOURCES = (
    *(f"holdfast.kafka.streams.compiled.{name}" for name in ("jit", "arrays", "queue", "movement", "threads", "wire")),
    *(f"holdfast.rollout.streams.forecast.compiled.{name}" for name in ("reports", "rebalances")),
)
"""All modules with compiled functions."""
ASKED_FOR = os.environ.get("HOLDFAST_COMPILED", "1")
"""`0`: run as ordinary functions. For tests, which measure what they reach."""


def is_installed() -> bool:
    """Whether there is a compiler, and it is asked for."""
    return ASKED_FOR != "0" and importlib.util.find_spec("numba") is not None


def folder() -> str:
    """Where the machine code of exactly these sources is kept: below `NUMBA_CACHE_DIR`, else in the user's cache."""
    digest = hashlib.sha256()
    for name in SOURCES:
        spec = importlib.util.find_spec(name)
        assert spec is not None, "one of ours"
        source = cast("Any", spec.loader).get_source(name)  # in a zip too
        digest.update(str(source).encode())
    kept = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "holdfast", "numba")  # noqa: PTH111, PTH118 - no paths here
    return os.path.join(kept, digest.hexdigest()[:20])  # noqa: PTH118


def _compiler() -> Callable[[_F], _F]:
    if not is_installed():
        return lambda function: function
    numba = cast("Any", import_module("numba"))
    numba.config.CACHE_DIR = folder()

    def compiled(function: _F) -> _F:
        try:
            return cast("_F", numba.njit(function, cache=True, _nrt=False, boundscheck=False))
        except RuntimeError:  # nowhere to keep it: it is compiled in each process
            return cast("_F", numba.njit(function))

    return compiled


compiled = _compiler()
"""Compile a function at its first call."""
