"""What the first reader of a page would wait for, done where the server starts: modules that are imported when they are met, and
templates that are compiled."""

from importlib import import_module

from holdfast.rollout.kinds import registry
from holdfast.web import templating

IMPORTED_WHEN_MET = ("pyarrow.dataset", "fsspec.implementations.local")
"""By the tables of the lake: the pages of groups and of the fleet."""


def get_ready() -> None:
    """Once per process that serves pages, before it does."""
    for _ in registry.kinds():
        pass
    for name in IMPORTED_WHEN_MET:
        import_module(name)
    templating.compile_all()
