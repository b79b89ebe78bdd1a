"""What the first reader of a page would wait for, done where the server starts: modules that are imported when they are met, and
templates that are compiled."""

from importlib import import_module

from sqlalchemy.orm import configure_mappers

from holdfast.rollout.kinds import registry
from holdfast.web import templating

IMPORTED_WHEN_MET = ("holdfast.web.app", "pyarrow.dataset", "fsspec.implementations.local")
"""The routes; and what the pages of groups and of the fleet read tables with."""


def get_ready() -> None:
    """Once per process that serves pages, before it does."""
    configure_mappers()  # Airflow's, which imports all of its models first
    for _ in registry.kinds():
        pass
    for name in IMPORTED_WHEN_MET:
        import_module(name)
    templating.compile_all()
