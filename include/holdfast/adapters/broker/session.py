"""A connection to a cluster through kafka-python: opened once, asked many times, all within one time limit."""

import logging
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import tenacity
from kafka import errors as kafka_errors
from kafka.admin import KafkaAdminClient

from holdfast.adapters.broker import kafka_python, sasl
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble, HoldfastError

T = TypeVar("T")
Send = Callable[..., Awaitable[Any]]

_REQUEST_TIMEOUT_MS = 20_000
_FIRST_CONTACT_S = 5.0
_FIRST_CONTACT_ATTEMPTS = 3
_CLOSING_S = 2.0
_FIRST_ATTEMPT_S = 3.0
_FINAL = (kafka_errors.SaslAuthenticationFailedError, kafka_errors.UnsupportedSaslMechanismError)
_DISTRUST = re.compile(r"certificate verify failed: (.*?)(?: \(_ssl|$)")
SHOWN_CREDENTIALS = (
    "security.protocol is SASL_PLAINTEXT: a listener on the network can read passwords and tokens, or take over the"
    " connection. Use SASL_SSL"
)
log = logging.getLogger(__name__)
_CLIENT_LOGGER = logging.getLogger("kafka")
if _CLIENT_LOGGER.level == logging.NOTSET:  # below WARNING it is twenty lines a look, in the log of an airflow task
    _CLIENT_LOGGER.setLevel(logging.WARNING)
PASSING = (kafka_errors.RetriableError, kafka_errors.RequestTimedOutError)
"""Troubles that may be gone when the same is asked again."""


class KafkaSession:
    """Opens at once. Raise ClusterTrouble where there is no listener, no answer, or the credentials are refused."""

    def __init__(self, connection: ClusterConnection, deadline: Deadline) -> None:
        self.connection = connection
        self.deadline = deadline
        self.servers = ", ".join(connection.bootstrap_servers)
        kafka_python.repair()
        if connection.shows_credentials():
            log.warning("%s: %s", self.servers, SHOWN_CREDENTIALS)
        _first_contact(connection, deadline)
        what = f"connecting to {self.servers}"
        with translated(what):
            self.admin = self._opened(what)

    def _opened(self, what: str) -> KafkaAdminClient:
        """A client that has found the cluster. It is tried for longer and longer, so that refused credentials are reported soon:
        kafka-python would go on offering them until its time is up."""
        settings = self.connection.settings()
        self.deadline.within(f"obtaining the credentials for {self.servers}", lambda: sasl.obtain_credentials(settings))
        seconds = _FIRST_ATTEMPT_S
        with _last_words() as last_words:
            while True:
                milliseconds = max(1, int(1000 * min(seconds, self.deadline.remaining_s())))
                timeout_ms = min(
                    self.connection.request_timeout_ms(_REQUEST_TIMEOUT_MS), max(1, int(1000 * self.deadline.remaining_s()))
                )
                limits = {"bootstrap_timeout_ms": milliseconds, "request_timeout_ms": timeout_ms}
                try:
                    return self.deadline.within(what, lambda limits=limits: KafkaAdminClient(**settings, **limits))  # type: ignore[misc]
                except (kafka_errors.KafkaTimeoutError, ClusterTrouble):
                    self._give_up(last_words)
                seconds *= 2

    def _give_up(self, last_words: list[Exception]) -> None:
        """Raise ClusterTrouble if nothing is to be hoped for, or the time is up."""
        final = next((each for each in last_words if isinstance(each, _FINAL)), None)
        if final is not None:
            raise ClusterTrouble(f"{self.servers}: {self._final_words(final)}", lasting=True)  # offered again, a user is locked
        kerberos = next(filter(None, map(sasl.kerberos_trouble, last_words)), None)
        if kerberos is not None:
            raise ClusterTrouble(f"{self.servers}: {kerberos}")
        distrust = next((match[1] for each in last_words if (match := _DISTRUST.search(str(each)))), None)
        if distrust is not None:
            raise ClusterTrouble(
                f"{self.servers}: the broker's certificate was refused ({distrust}). Check ssl.truststore.location, and that the "
                "address is one that the certificate names"
            )
        if not self.deadline.passed():
            return
        because = f" The last attempt failed: {str(last_words[-1])[:300]}." if last_words else ""
        raise ClusterTrouble(
            f"{self.servers} did not answer as a Kafka broker within {self.deadline.limit_s:g} s.{because} "
            "Check the address, security.protocol and the certificates"
        )

    def _final_words(self, error: BaseException) -> str:
        if isinstance(error, kafka_errors.SaslAuthenticationFailedError):
            mechanism = dict(self.connection.properties).get("sasl.mechanism", "GSSAPI")
            return f"the credentials were refused: check {sasl.to_check(mechanism)}"
        return refusal(error)

    def ask(self, what: str, question: Callable[[Send], Awaitable[T]]) -> T:
        """The answer to `question`, which gets a function that sends a request to a node; what may pass is asked again.

        Raise ClusterTrouble, beginning with `what`, for everything that the cluster refuses.
        """
        manager = self.admin._manager  # noqa: SLF001 - raw requests (member bytes!) are sent through the client's own loop

        async def bounded() -> T:
            future = manager.call_soon(question, manager.send)
            answer: T = await manager.wait_for(future, max(1.0, 1000 * self.deadline.remaining_s()))
            return answer

        def run() -> T:
            return manager.run(bounded)  # type: ignore[no-any-return]

        return self.call(what, run)

    def call(self, what: str, action: Callable[[], T]) -> T:
        """The result of `action`, which is repeated after temporary failures. Raise ClusterTrouble as `ask` does."""
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(PASSING),
            wait=tenacity.wait_exponential(multiplier=0.1, max=2),
            stop=lambda _state: self.deadline.remaining_s() < 1,
            reraise=True,
        )
        with translated(what):
            try:
                answer: T = retrying(self.deadline.within, what, action)
            except (kafka_errors.KafkaTimeoutError, kafka_errors.RequestTimedOutError):
                raise self.deadline.trouble(what) from None
        return answer

    def close(self) -> None:
        """Idempotent; does not wait for a broker, or for a thread that does not come back."""
        closing = threading.Thread(target=self.admin.close, daemon=True)
        closing.start()
        closing.join(_CLOSING_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, trouble: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def raise_for(error_code: int) -> None:
    """Raise kafka-python's error for a code of Kafka's that is not 0."""
    if error_code:
        raise kafka_errors.for_code(error_code)


def refusal(error: BaseException) -> str:
    """Kafka's error in words that say what to do."""
    match error:
        case kafka_errors.GroupAuthorizationFailedError():
            return "not authorized: this user needs DESCRIBE on the group"
        case kafka_errors.TopicAuthorizationFailedError():
            return "not authorized: this user lacks a permission on the topic"
        case kafka_errors.ClusterAuthorizationFailedError():
            return "not authorized: this user lacks a permission on the cluster"
        case kafka_errors.SaslAuthenticationFailedError():
            return "the credentials were refused: check them"
        case kafka_errors.UnsupportedSaslMechanismError():
            return "the broker does not offer this sasl.mechanism"
        case kafka_errors.UnknownTopicOrPartitionError():
            return "there is no such topic or partition, or this user may not describe it"
        case kafka_errors.CoordinatorNotAvailableError() | kafka_errors.CoordinatorLoadInProgressError():
            return "the group's coordinator is not available (a new cluster, or a broker that is down)"
        case kafka_errors.IncompatibleBrokerVersion():
            return "the broker is too old for this request"
    return f"{type(error).__name__.removesuffix('Error')}"


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn kafka-python's errors into ClusterTrouble. Its texts quote whole requests, so they are not passed on."""
    try:
        yield
    except HoldfastError:
        raise
    except kafka_errors.KafkaError as error:
        raise ClusterTrouble(f"{what}: {refusal(error)}") from None
    except OSError as error:
        raise ClusterTrouble(f"{what}: {error.strerror or type(error).__name__}") from None


def _first_contact(connection: ClusterConnection, deadline: Deadline) -> None:
    """Raise ClusterTrouble early where no address can be connected to at all: kafka-python would try until its time is up."""
    problems: dict[str, str] = {}
    for _ in range(_FIRST_CONTACT_ATTEMPTS):
        for server in connection.bootstrap_servers:
            host, _, port = server.rpartition(":")
            address = host.strip("[]"), int(port)
            seconds = max(0.1, min(_FIRST_CONTACT_S, deadline.remaining_s()))
            try:
                deadline.within(server, lambda to=address, limit=seconds: socket.create_connection(to, limit).close())  # type: ignore[misc]
            except OSError as error:
                problems[server] = error.strerror or "no answer"
            else:
                return
        if deadline.remaining_s() < 1:
            break
    details = "; ".join(f"{server}: {problem}" for server, problem in problems.items())
    raise ClusterTrouble(f"no broker can be reached ({details}). Check the address and that the cluster is up")


class _LastWords(logging.Handler):
    """Keeps why kafka-python's connections failed, which its timeout error does not say."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[Exception] = []

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args if isinstance(record.args, tuple) else ()
        exceptions = [each for each in arguments if isinstance(each, Exception)]
        self.found.extend(each for each in exceptions if not isinstance(each, kafka_errors.KafkaTimeoutError))


@contextmanager
def _last_words() -> Iterator[list[Exception]]:
    handler = _LastWords()
    propagated = _CLIENT_LOGGER.propagate
    _CLIENT_LOGGER.addHandler(handler)
    _CLIENT_LOGGER.propagate = False  # what matters of it is in our message
    try:
        yield handler.found
    finally:
        _CLIENT_LOGGER.removeHandler(handler)
        _CLIENT_LOGGER.propagate = propagated
