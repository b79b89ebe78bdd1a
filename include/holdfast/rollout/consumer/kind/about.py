"""A consumer group as its page, and the form that asks for a plan, show it."""

from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.group_kind import Host
from holdfast.rollout.text.format import listed, many
from holdfast.rollout.text.natural_order import natural


def facts(one: ConsumerSnapshot) -> tuple[tuple[str, str], ...]:
    partitions = sum(len(topic.partitions) for topic in one.topics)
    assignors = dict.fromkeys(str(name) for member in one.members for name in member.assignors)
    static = sum(member.group_instance_id is not None for member in one.members)
    return (
        ("Members", f"{len(one.members):,}, {static:,} static"),
        ("Partitions", f"{partitions:,} of {many(len(one.topics), 'topic')}: {listed([topic.name for topic in one.topics], 6)}"),
        ("Assignors", listed(list(assignors)) or "unknown"),
        ("Clients' release", one.kafka_release or "unknown"),
        ("Generation", "unknown" if one.generation is None else str(one.generation)),
    )


def hosts(one: ConsumerSnapshot) -> tuple[Host, ...]:
    assigned = one.assigned or tuple(member.owned for member in one.members)
    by_host: dict[str, list[tuple[str, int]]] = {}
    for member, mine in zip(one.members, assigned, strict=True):
        by_host.setdefault(member.host or member.member_id, []).append((member.member_id, len(mine)))
    found = (
        Host(host, tuple(name for name, _ in rows), f"reads {many(sum(count for _, count in rows), 'partition')}")
        for host, rows in by_host.items()
    )
    return tuple(sorted(found, key=lambda one: natural(one.name)))


def example(one: ConsumerSnapshot) -> Row | None:
    """One consumer leaves, and another replaces it. None: no member is in the group."""
    first = next(iter(one.members), None)
    return None if first is None else {"replace_consumer": {"member_id": first.member_id, "by": {"member_id": "new"}}}
