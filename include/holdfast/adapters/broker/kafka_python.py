"""One repair of kafka-python 3.0.12: the last bytes before the end of a connection are read.

A broker that refuses credentials answers why, and closes. kafka-python finds both at once, drops the answer and reports a lost
connection; it would then offer the same credentials until its time is up. With the repair the answer is handed on, and the end of
the connection is found by the next read. To be taken out when kafka-python does so itself.
"""

from typing import Any

from kafka.net import transport


def repair() -> None:
    """Idempotent."""
    for kind in (transport.KafkaTCPTransport, transport.KafkaSSLTransport):
        if not hasattr(kind._sock_recv, "repaired"):  # noqa: SLF001 - there is no public place to put it
            kind._sock_recv = _keeping_the_last_bytes(kind._sock_recv)  # noqa: SLF001


def _keeping_the_last_bytes(receive: Any) -> Any:
    def received(self: Any) -> tuple[bytes, Exception | None]:
        data, trouble = receive(self)
        return (data, None) if data else (data, trouble)

    received.repaired = True  # type: ignore[attr-defined] # a mark on our own function
    return received
