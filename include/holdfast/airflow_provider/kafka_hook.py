"""The connection type `holdfast_kafka`, as Airflow asks for it: a hook that tests a connection. The DAGs do without it."""

from typing import Any

from airflow.sdk import BaseHook

from holdfast.airflow_provider.connection_form import CONNECTION_TYPE, TYPE
from holdfast.errors import HoldfastError

_PATIENCE_S = 20.0


class KafkaHook(BaseHook):  # type: ignore[misc]  # Airflow is not typed for us
    """Its constants are read by Airflow."""

    conn_name_attr = "kafka_conn_id"
    default_conn_name = "holdfast_kafka_default"
    conn_type = TYPE
    hook_name = CONNECTION_TYPE["hook-name"]

    def __init__(self, kafka_conn_id: str = default_conn_name, **options: Any) -> None:
        super().__init__(**options)
        self.kafka_conn_id = kafka_conn_id

    def test_connection(self) -> tuple[bool, str]:
        """Whether the brokers answer, and take the credentials."""
        from holdfast.adapters.broker.kafka_cluster import KafkaCluster
        from holdfast.adapters.broker.session import KafkaSession
        from holdfast.adapters.deadline import Deadline
        from holdfast.airflow_wiring import clusters

        try:
            known = clusters.known_by(self.kafka_conn_id)
            with KafkaSession(known.connection, Deadline(_PATIENCE_S)) as session:
                found = KafkaCluster(session).info()
        except HoldfastError as problem:
            return False, str(problem)
        return True, f"the cluster {found.cluster_id} answers"
