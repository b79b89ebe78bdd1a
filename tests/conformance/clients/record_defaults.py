"""Writes `kafka/clients/defaults.py` from the jars: `python -m tests.conformance.clients.record_defaults`."""

from pathlib import Path

from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams.record_config_keys import last_patches

from holdfast.kafka import release

MODULE = Path(release.__file__).parent / "clients" / "defaults.py"
KEYS = (
    *("acceptable.recovery.lag", "acks", "allow.auto.create.topics", "auto.offset.reset", "batch.size", "buffer.memory"),
    *("buffered.records.per.partition", "commit.interval.ms", "connections.max.idle.ms", "default.api.timeout.ms"),
    *("default.dsl.store", "delivery.timeout.ms", "enable.auto.commit", "enable.idempotence", "fetch.max.bytes"),
    *("fetch.max.wait.ms", "fetch.min.bytes", "group.protocol", "heartbeat.interval.ms", "internal.leave.group.on.close"),
    *("isolation.level", "linger.ms", "max.block.ms", "max.in.flight.requests.per.connection", "max.partition.fetch.bytes"),
    *("max.poll.interval.ms", "max.poll.records", "max.request.size", "max.task.idle.ms", "max.warmup.replicas"),
    *("metadata.max.age.ms", "num.standby.replicas", "num.stream.threads", "partition.assignment.strategy", "poll.ms"),
    *("probing.rebalance.interval.ms", "processing.guarantee", "rack.aware.assignment.strategy", "receive.buffer.bytes"),
    *("reconnect.backoff.max.ms", "reconnect.backoff.ms", "repartition.purge.interval.ms", "replication.factor"),
    *("request.timeout.ms", "retries", "retry.backoff.max.ms", "retry.backoff.ms", "send.buffer.bytes", "session.timeout.ms"),
    *("state.cleanup.delay.ms", "statestore.cache.max.bytes", "cache.max.bytes.buffering", "task.timeout.ms"),
    *("transaction.timeout.ms", "upgrade.from"),
)
"""Whose defaults are needed: those that rules of the doctor look at."""
CLIENTS = {"streams": "S", "main": "M", "restore": "R", "global": "G", "producer": "P", "admin": "A", "consumer": "C"}
EXACTLY_ONCE = "E"
COMMIT_INTERVAL = "commit.interval.ms"
HEAD = '''"""What each client of a Streams application has where nothing is set, by release. Generated from the jars, not by hand:

    python -m tests.conformance.clients.record_defaults

A line of `TABLE` is: key, whose default it is (S Streams, M main consumer, R restore consumer, G global consumer, P producer, E
Streams and its producer with exactly-once, A admin, C a consumer without Streams), first and last minor release, the default.
"""

# ruff: noqa: E501

TABLE = """\\
{table}
"""
'''


def defaults_of(jvm: LeaderJvm) -> dict[tuple[str, str], str]:
    """(client, key) to the default of one release, as text."""
    newer = tuple(map(int, jvm.release.split(".")[:2])) >= (3, 0)
    exactly_once = {"processing.guarantee": "exactly_once_v2" if newer else "exactly_once"}
    plain, once = jvm.ask({"ask": "client configs", "keys": KEYS, "config": config} for config in ({}, exactly_once))
    found = {(letter, key): value for client, letter in CLIENTS.items() for key, value in plain[client].items()}
    found |= {(EXACTLY_ONCE, key): value for key, value in once["producer"].items()}
    return found | {(EXACTLY_ONCE, COMMIT_INTERVAL): once["streams"][COMMIT_INTERVAL]}


def main() -> None:
    runs: dict[tuple[str, str, str], list[list[int]]] = {}
    minors = []
    for number, patch in enumerate(last_patches()):
        minors.append(patch.rpartition(".")[0])
        with LeaderJvm(patch) as jvm:
            for (letter, key), value in defaults_of(jvm).items():
                spans = runs.setdefault((key, letter, value), [])
                if spans and spans[-1][1] == number - 1:
                    spans[-1][1] = number
                else:
                    spans.append([number, number])
    rows: dict[tuple[str, int, int, str], list[str]] = {}
    for (key, letter, value), spans in runs.items():
        for first, last in spans:
            rows.setdefault((key, first, last, value), []).append(letter)
    lines = [
        f"{key} {''.join(sorted(letters))} {minors[first]} {minors[last]} {value}".rstrip()
        for (key, first, last, value), letters in sorted(rows.items())
    ]
    MODULE.write_text(HEAD.replace("{table}", "\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
