"""The options of every command that reads a running cluster."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import InvalidInput
from holdfast.kafka import properties
from holdfast.wiring import DEFAULT_TIMEOUT_S

_Command = TypeVar("_Command", bound=Callable[..., object])
_LARGEST_FILE = 1_048_576


def timeout_option(
    default_s: float = DEFAULT_TIMEOUT_S, of: str = "the whole command", otherwise: str = ""
) -> Callable[[_Command], _Command]:
    """`otherwise`: where the command itself knows another default, as the help shows it."""
    return click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(1, 3600),
        default=default_s,
        help=f"Time limit for {of}, in seconds. Default: {default_s:g}{otherwise}.",
    )


connection_options = (
    click.option("--bootstrap-server", metavar="HOST:PORT", default="", help="Brokers, separated by commas."),
    click.option("--command-config", metavar="FILE", help="Connection properties, in the format of Kafka's own tools."),
)


def cluster_options(command: _Command) -> _Command:
    """`--bootstrap-server`, `--command-config` and `--timeout`."""
    return with_timeout(timeout_option())(command)


def with_timeout(option: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """The same with another `--timeout`."""

    def decorated(command: _Command) -> _Command:
        for one in reversed((*connection_options, option)):
            command = one(command)
        return command

    return decorated


def connection(bootstrap_server: str, command_config: str | None, name: str | None = None) -> ClusterConnection:
    """Raise InvalidInput or Unsupported for properties that cannot be used, naming the file."""
    given = properties_file(command_config) if command_config else {}
    if not bootstrap_server and "bootstrap.servers" not in given:
        raise InvalidInput("needs --bootstrap-server HOST:PORT, or bootstrap.servers in the --command-config file")
    return ClusterConnection.of(bootstrap_server, given, name)


def properties_file(path: str) -> dict[str, str]:
    """A Java properties file. Raise InvalidInput, naming the file, where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as trouble:
        raise InvalidInput(f"cannot read the properties file {path!r}: {getattr(trouble, 'strerror', None) or trouble}") from None
    if len(data) > _LARGEST_FILE:
        raise InvalidInput(f"the properties file {path!r} is larger than {_LARGEST_FILE} bytes")
    return properties.parse(data.decode("utf-8", "replace"))
