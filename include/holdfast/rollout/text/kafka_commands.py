"""Kafka's own tools as commands for a shell, which plans show to be pasted. Names in them are quoted."""

import shlex

ABOUT = "Command (BOOTSTRAP_SERVERS is the address of the brokers):"
ABOUT_CHECK = "To check (BOOTSTRAP_SERVERS is the address of the brokers):"
_SERVERS = '--bootstrap-server "${BOOTSTRAP_SERVERS:?}"'
"""A variable that the shell asks for where it is not set."""


def describe_streams_group(group_id: str, *shows: str) -> str:
    return _command("kafka-streams-groups.sh", "--describe", "--group", shlex.quote(group_id), *shows)


def describe_consumer_group(group_id: str, *shows: str) -> str:
    return _command("kafka-consumer-groups.sh", "--describe", "--group", shlex.quote(group_id), *shows)


def describe_group_configs(group_id: str) -> str:
    return _command("kafka-configs.sh", "--describe", *_group(group_id))


def alter_group_configs(group_id: str, add: str, delete: str) -> str:
    """`add`: `KEY=VALUE,…`, `delete`: `KEY,…`; either may be empty."""
    changes = [*(("--add-config", shlex.quote(add)) if add else ()), *(("--delete-config", shlex.quote(delete)) if delete else ())]
    return _command("kafka-configs.sh", "--alter", *_group(group_id), *changes)


def describe_topic(topic: str) -> str:
    return _command("kafka-topics.sh", "--describe", "--topic", shlex.quote(topic))


def list_topics() -> str:
    return _command("kafka-topics.sh", "--list")


def grow_topic(topic: str, partitions: int) -> str:
    return _command("kafka-topics.sh", "--alter", "--topic", shlex.quote(topic), "--partitions", str(partitions))


def _group(group_id: str) -> tuple[str, ...]:
    return "--entity-type", "groups", "--entity-name", shlex.quote(group_id)


def _command(tool: str, *words: str) -> str:
    return " ".join((tool, _SERVERS, *words))
