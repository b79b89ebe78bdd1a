"""The form of Airflow's connections to Kafka clusters: the fields are Kafka's own property names.

Secrets go into the login and the password, which Airflow encrypts, and never returns (`sasl.with_login` makes Kafka's properties of
them), and into fields whose names Airflow knows as a secret's. So the form has no `sasl.jaas.config` and no `ssl.keystore.key`:
Airflow shows these to all who may read connections. Both work as extras.
"""

from typing import Any

TYPE = "holdfast_kafka"


def _text(label: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"label": label, "description": description, "schema": {"type": ["string", "null"], **schema}}


def _one_of(label: str, description: str, *values: str) -> dict[str, Any]:
    return _text(label, description, enum=[*values, None])


FIELDS: dict[str, dict[str, Any]] = {
    "bootstrap.servers": _text("bootstrap.servers", "HOST:PORT of some brokers, separated by commas."),
    "security.protocol": _one_of("security.protocol", "Empty: PLAINTEXT.", "PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    "sasl.mechanism": _one_of(
        "sasl.mechanism",
        "PLAIN and SCRAM take the user and password above, OAUTHBEARER a client's ID and secret. Empty: GSSAPI, as in Kafka.",
        "PLAIN",
        "SCRAM-SHA-256",
        "SCRAM-SHA-512",
        "OAUTHBEARER",
        "GSSAPI",
        "AWS_MSK_IAM",
    ),
    "sasl.oauthbearer.token.endpoint.url": _text("sasl.oauthbearer.token.endpoint.url", "Where OAUTHBEARER gets its tokens."),
    "sasl.oauthbearer.scope": _text("sasl.oauthbearer.scope", "Of the tokens."),
    "sasl.kerberos.service.name": _text("sasl.kerberos.service.name", "For GSSAPI. Empty: kafka."),
    "ssl.truststore.location": _text("ssl.truststore.location", "A PEM file on the workers. Empty: the system's certificates."),
    "ssl.keystore.location": _text("ssl.keystore.location", "A PEM file on the workers with Holdfast's certificate and key."),
    "ssl.key.password": _text("ssl.key.password", "Of the key in that file.", format="password"),
    "groups": {
        "label": "groups",
        "description": 'What is known of each group, by its ID or a pattern. {} reads none, and {"*": {}} all of them.',
        "schema": {"type": ["object", "null"]},
    },
    "ssh_connection": _text("ssh_connection", "The connection of type ssh for hosts with state directories."),
    "collect_seconds": {
        "label": "collect_seconds",
        "description": "How long reading all groups may take. Empty: half an hour.",
        "schema": {"type": ["integer", "null"], "minimum": 1, "maximum": 86_400},
    },
}
"""Each is an extra of the same name."""

CONNECTION_TYPE: dict[str, Any] = {
    "connection-type": TYPE,
    "hook-class-name": "holdfast.airflow_provider.kafka_hook.KafkaHook",
    "hook-name": "Kafka cluster (Holdfast)",
    "ui-field-behaviour": {
        "hidden-fields": ["host", "port", "schema"],
        "relabeling": {"login": "SASL user, or client ID", "password": "SASL password, or client secret"},
    },
    "conn-fields": FIELDS,
}
