"""The tables of events, one line per kind of group that has events.

It is not part of the registry, because the form of a DAG needs it: Airflow parses DAG files again and again, and the registry
imports all of planning. A test holds both together.
"""

from holdfast.rollout.broker_streams.events import table as broker_streams
from holdfast.rollout.consumer.events import table as consumer
from holdfast.rollout.contract.batches_json import THEN
from holdfast.rollout.streams.events import table as streams

TABLES = (streams.EVENTS, consumer.EVENTS, broker_streams.EVENTS)


def verbs() -> list[str]:
    """Those of the events that people request, for groups of every kind; and `then`, which separates events."""
    requested = (event for table in TABLES for event in table if event not in broker_streams.OF_MOVES)
    return sorted({THEN, *(event.VERB for event in requested)})
