"""Which classes of Kafka's own a configuration key can name, release by release.

Java: `AbstractConfig.getConfiguredInstance`: the class is there, of the type that the key takes, and is made without arguments.
"""

import functools
from collections.abc import Mapping

from holdfast.kafka.clients.class_table import TABLE
from holdfast.kafka.streams.config_keys import MINORS

_COMMON, _CLIENTS, _STREAMS = (f"org.apache.kafka.{one}." for one in ("common", "clients", "streams"))
_SERDES = (f"{_COMMON}serialization.Serde",)
_HANDLERS = (f"{_COMMON}security.auth.AuthenticateCallbackHandler",)
_DESERIALIZATION, _PRODUCTION, _PROCESSING = (
    (f"{_STREAMS}errors.{one}ExceptionHandler",) for one in ("Deserialization", "Production", "Processing")
)
TYPES: Mapping[str, tuple[str, ...]] = {
    "default.client.supplier": (f"{_STREAMS}KafkaClientSupplier",),
    "default.deserialization.exception.handler": _DESERIALIZATION,
    "default.key.serde": _SERDES,
    "default.list.key.serde.inner": _SERDES,
    "default.list.value.serde.inner": _SERDES,
    "default.production.exception.handler": _PRODUCTION,
    "default.timestamp.extractor": (f"{_STREAMS}processor.TimestampExtractor",),
    "default.value.serde": _SERDES,
    "default.windowed.key.serde.inner": _SERDES,
    "default.windowed.value.serde.inner": _SERDES,
    "deserialization.exception.handler": _DESERIALIZATION,
    "dsl.store.suppliers.class": (f"{_STREAMS}state.DslStoreSuppliers",),
    "interceptor.classes": (f"{_CLIENTS}consumer.ConsumerInterceptor", f"{_CLIENTS}producer.ProducerInterceptor"),
    "key.deserializer": (f"{_COMMON}serialization.Deserializer",),
    "key.serializer": (f"{_COMMON}serialization.Serializer",),
    "metric.reporters": (f"{_COMMON}metrics.MetricsReporter",),
    "partition.assignment.strategy": (f"{_CLIENTS}consumer.ConsumerPartitionAssignor",),
    "partitioner.class": (f"{_CLIENTS}producer.Partitioner",),
    "processing.exception.handler": _PROCESSING,
    "processor.wrapper.class": (f"{_STREAMS}processor.api.ProcessorWrapper",),
    "production.exception.handler": _PRODUCTION,
    "rocksdb.config.setter": (f"{_STREAMS}state.RocksDBConfigSetter",),
    "sasl.client.callback.handler.class": _HANDLERS,
    "sasl.login.callback.handler.class": _HANDLERS,
    "sasl.login.class": (f"{_COMMON}security.auth.Login",),
    "ssl.engine.factory.class": (f"{_COMMON}security.auth.SslEngineFactory",),
    "task.assignor.class": (f"{_STREAMS}processor.assignment.TaskAssignor",),
    "value.deserializer": (f"{_COMMON}serialization.Deserializer",),
    "value.serializer": (f"{_COMMON}serialization.Serializer",),
    "windowed.inner.class.serde": _SERDES,
}
"""The types that a key takes: any of them."""
_OF_OTHER_JARS = (f"{_STREAMS}scala.", f"{_STREAMS}test.", f"{_COMMON}test.")


def is_kafkas(name: str) -> bool:
    """Whether a class of this name would be in the jars that an application of Streams has: those of the clients and of Streams."""
    return name.startswith((_COMMON, _CLIENTS, _STREAMS)) and not name.startswith(_OF_OTHER_JARS)


def fitting(key: str, release: str | None) -> tuple[str, ...]:
    """The classes of Kafka that a key of `TYPES` can name, in this release; None: in any."""
    minor = None if release is None else MINORS.index(".".join(release.split(".")[:2]))
    types = TYPES[key]
    return tuple(name for kind, first, last, name in _rows() if kind in types and (minor is None or first <= minor <= last))


@functools.cache
def _rows() -> tuple[tuple[str, int, int, str], ...]:
    rows = (line.split(" ") for line in TABLE.splitlines())
    return tuple((kind, MINORS.index(first), MINORS.index(last), name) for kind, first, last, name in rows)
