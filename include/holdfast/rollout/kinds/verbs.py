"""The verbs of the events that people may request, for groups of every kind.

Listed, not asked of the kinds: the form of a DAG offers them, Airflow parses DAG files again and again, and importing the events
takes a quarter of a second. A test compares them with the kinds.
"""

VERBS = (
    "add_client",
    "add_consumer",
    "add_partitions",
    "add_topic",
    "convert_consumer",
    "move_to_streams_protocol",
    "remove_client",
    "remove_consumer",
    "remove_topic",
    "replace_client",
    "replace_consumer",
    "restart_client",
    "restart_consumer",
    "rolling_restart",
    "set_assignor",
    "set_assignors",
    "set_config",
    "set_release",
    "set_threads",
    "set_topology",
    "stop_application",
    "then",
)
"""`then` separates events."""
