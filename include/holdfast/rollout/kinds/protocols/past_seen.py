"""A classic group's completed rebalances, as what `deploys` counts in."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.kinds.protocols.deploys import Seen
from holdfast.rollout.streams.snapshot.churn import processes_of


def of_streams(generations: Iterable[Generation]) -> tuple[Seen, ...]:
    """A client is a process ID."""
    return tuple(_seen(one, ((member, str(process)) for member, process in processes_of(one))) for one in generations)


def of_consumers(generations: Iterable[Generation]) -> tuple[Seen, ...]:
    """A client is an instance ID, else a client ID on a host."""
    return tuple(_seen(one, ((member, _name(member)) for member in one.members)) for one in generations)


def _name(member: GenerationMember) -> str:
    return member.group_instance_id or f"{member.client_id} {member.client_host}"


def _seen(generation: Generation, members: Iterator[tuple[GenerationMember, str]]) -> Seen:
    there: dict[str, set[str]] = {}
    hosts: dict[str, str] = {}
    for member, name in members:
        there.setdefault(name, set()).add(member.member_id)
        hosts[name] = member.client_host
    at = datetime.fromisoformat(generation.completed_at)
    return Seen(at, {name: frozenset(ids) for name, ids in there.items()}, hosts)
