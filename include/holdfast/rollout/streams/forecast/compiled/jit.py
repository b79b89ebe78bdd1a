"""The compiler for the functions here, which call those of `kafka.streams.compiled`."""

from holdfast.kafka.streams.compiled import jit

_SOURCES = tuple(f"{__package__}.{name}" for name in ("jit", "reports", "noting", "at_restart", "rebalances", "workspace"))
_CALLED = f"{__package__}.rebalances.go_on"
"""What is called from Python, and is compiled last."""

compiled = jit.compiler(_SOURCES)
inlined = jit.compiler(_SOURCES, inline=True)


def is_kept() -> bool:
    """Whether it is on the disk."""
    return jit.is_kept(_CALLED, _SOURCES)
