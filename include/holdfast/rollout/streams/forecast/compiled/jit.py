"""The compiler for the functions here, which call those of `kafka.streams.compiled`."""

from holdfast.kafka.streams.compiled import jit

_HERE = "holdfast.rollout.streams.forecast.compiled"
_SOURCES = tuple(f"{_HERE}.{name}" for name in ("machine_code", "reports", "rebalances"))
_CALLED = f"{_HERE}.rebalances.go_on"
"""What is called from Python, and is compiled last."""

compiled = jit.compiler(_SOURCES)


def is_kept() -> bool:
    """Whether it is on the disk."""
    return jit.is_kept(_CALLED, _SOURCES)
