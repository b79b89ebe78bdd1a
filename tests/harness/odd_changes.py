"""Changes that are possible but unusual, for the recorded groups."""

import random
from collections.abc import Callable, Sequence

from tests.harness.nasty import Document


def change_for(chance: random.Random, ids: Sequence[str], topics: Sequence[str]) -> Document:
    """A possible but unusual order: each event is valid by itself, and the whole is odd."""
    new = [f"{chance.getrandbits(32):08x}-57d0-457d-951f-d06556c148c{digit}" for digit in "0123"]
    one: Callable[[], str] = lambda: chance.choice([*ids, *ids, *new])  # noqa: E731 - a die
    maybe: Callable[[], str | None] = lambda: chance.choice([None, *new])  # noqa: E731 - a die
    threads = (1, 2, 4, 17, 1_000)
    makers: tuple[Callable[[], Document], ...] = (
        lambda: {"then": chance.choice(("stable", "rebalance"))},
        lambda: {"then": "stable"},
        lambda: {"add_client": {"process_id": maybe(), "threads": chance.choice(threads)}},
        lambda: {"remove_client": {"process_id": one(), "leaves": chance.random() < 0.5}},
        lambda: {
            "replace_client": {
                "process_id": one(),
                "by": {"process_id": maybe()} | ({"threads": chance.choice(threads)} if chance.random() < 0.5 else {}),
                "state": chance.choice(("empty", "kept", {"copied_from": one()})),
            }
        },
        lambda: {"restart_client": {"process_id": one()}},
        lambda: {"restart_client": {"process_id": one(), "keeps_process_id": False, "new_process_id": maybe()}},
        lambda: {"restart_client": {"process_id": one(), "keeps_state": False, "threads": chance.choice((None, *threads))}},
        lambda: {"restart_client": {"process_id": one(), "within_session": True}},
        lambda: {
            "rolling_restart": {
                "at_once": chance.choice((1, 2, 10_000)),
                "wait": chance.choice(("stable", "rebalance")),
                "keeps_process_id": chance.random() < 0.7,
                "keeps_state": chance.random() < 0.7,
            }
        },
        lambda: {"rolling_restart": {"set_config": {"num.standby.replicas": chance.randint(0, 3)}}},
        lambda: {"rolling_restart": {"kafka_release": chance.choice(("2.6.1", "2.8.2", "3.5.1", "3.9.1", "4.3.1"))}},
        lambda: {"set_release": {"kafka_release": chance.choice(("2.6.1", "2.8.2", "3.5.1", "3.9.1", "4.3.1"))}},
        lambda: {
            "set_config": chance.choice(
                (
                    {"max.warmup.replicas": chance.choice((1, 2, 10_000))},
                    {"num.standby.replicas": chance.choice((0, 1, 2, 100))},
                    {"acceptable.recovery.lag": chance.choice((0, 1, 2**63 - 1))},
                    {"probing.rebalance.interval.ms": chance.choice((60_000, 600_000, 2**31, 2**63 - 1))},
                    {"processing.guarantee": "exactly_once_v2"},
                    {"session.timeout.ms": chance.choice((1, 45_000, 2**31 - 1))},
                )
            )
        },
        lambda: {"set_threads": {"process_id": one(), "threads": chance.choice(threads)}},
        lambda: {"add_partitions": {"topic": chance.choice([*topics, "x"]), "partitions": chance.choice((1, 7, 100))}},
        lambda: {"stop_application": {"minutes": chance.choice((0.1, 15, 1_000_000))}},
        lambda: {
            "set_topology": {
                "tasks": {f"0_{number}": {"partitions": [["input", number]], "changelogs": []} for number in range(6)},
                "keeps_state": chance.random() < 0.5,
            }
        },
    )
    made: Document = {
        "format_version": "1.0",
        "events": [chance.choice(makers)() for _ in range(chance.choice((0, 1, 1, 2, 3, 4, 6, 11)))],
    }
    if chance.random() < 0.4:
        rates = (5e-324, 1e-12, 0.001, 1, 1e12)
        growing = {"records_per_second": chance.choice(rates), "grows_per_second": chance.choice((0, *rates))}
        made["assume"] = {
            "catch_up": chance.choice(("probing rebalance", "next rebalance", growing)),
            "closed_copies": chance.choice(("as released", "end")),
            "dormant_copies": chance.choice(("kept", "dropped")),
        }
    return made


def change_for_readers(chance: random.Random, members: Sequence[str], topics: Sequence[str]) -> Document:
    """The same for a consumer group."""
    new = ("new-a", "new-b", "\u202ex", "@team")
    one: Callable[[], str] = lambda: chance.choice([*members, *members, *new])  # noqa: E731 - a die
    consumer: Callable[[], Document] = lambda: {"member_id": chance.choice((None, *new)), "host": chance.choice((None, "h", "#1"))}  # noqa: E731
    makers: tuple[Callable[[], Document], ...] = (
        lambda: {"then": chance.choice(("stable", "rebalance"))},
        lambda: {"add_consumer": consumer() | {"subscription": list(topics)}},
        lambda: {"remove_consumer": {"member_id": one()}},
        lambda: {"replace_consumer": {"member_id": one(), "by": consumer()}},
        lambda: {"restart_consumer": {"member_id": one()}},
        lambda: {"set_assignors": {"assignors": chance.sample(("range", "roundrobin", "sticky", "cooperative-sticky"), k=2)}},
        lambda: {"add_partitions": {"topic": chance.choice([*topics, "x"]), "partitions": chance.choice((1, 9, 5_000))}},
        lambda: {"add_topic": {"topic": chance.choice(("new", *topics)), "partitions": chance.choice((1, 100))}},
        lambda: {"remove_topic": {"topic": chance.choice([*topics, "x"])}},
        lambda: {"rolling_restart": {}},
        lambda: {"set_config": {"partition.assignment.strategy": "range"}},
        lambda: {"stop_application": {"minutes": chance.choice((0.1, 1_000_000))}},
    )
    return {"format_version": "1.0", "events": [chance.choice(makers)() for _ in range(chance.choice((0, 1, 1, 2, 3, 5)))]}
