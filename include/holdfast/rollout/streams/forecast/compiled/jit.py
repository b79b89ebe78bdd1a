"""The compiler for the functions here, which call those of `kafka.streams.compiled`."""

from holdfast.kafka.streams.compiled import jit

_SOURCES = (__name__, f"{__package__}.reports", f"{__package__}.rebalances")
_CALLED = f"{__package__}.rebalances.go_on"
"""What is called from Python, and is compiled last."""

compiled = jit.compiler(_SOURCES)


def is_kept() -> bool:
    """Whether it is on the disk."""
    return jit.is_kept(_CALLED, _SOURCES)
