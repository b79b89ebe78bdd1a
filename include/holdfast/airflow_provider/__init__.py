"""What an Airflow finds in an installed Holdfast (docs/install.md): by entry points the plugin and the provider, with the form of
its connection type; by name the DAG bundle (`bundle`), or the DAGs for a DAG folder (`dags`).

Airflow imports this package in each of its processes: it imports nothing itself.
"""

from typing import Any


def get_provider_info() -> dict[str, Any]:
    """What Airflow asks the entry point `apache_airflow_provider` for."""
    from holdfast.airflow_provider.connection_form import CONNECTION_TYPE

    return {
        "package-name": "holdfast",
        "name": "Holdfast",
        "description": "Where every Kafka Streams task will go, what that costs, and the safest way to roll: before you deploy.",
        "connection-types": [CONNECTION_TYPE],
    }
