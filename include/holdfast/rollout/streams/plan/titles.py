"""The title of a plan for a Kafka Streams group: the request that it answers, and its clients by name."""

from collections import Counter
from collections.abc import Mapping

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change import request_words
from holdfast.rollout.streams.plan.basis import Basis
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.text.request_words import short

SHORT_ID = 8


def title_of(plan: Plan) -> str:
    """`replace app-2 by app-3`."""
    hosts = host_names(plan.basis)
    return request_words.title(plan.change, lambda one: short(hosts.get(one, f"{str(one)[:SHORT_ID]}…")))


def request_of(plan: Plan) -> str:
    """All that was asked for, in a sentence without its full stop."""
    return request_words.request_text(plan.change, lambda one: client_name(plan.basis, one))


def host_names(basis: Basis) -> Mapping[ProcessId, str]:
    """Each client by its host; where several share one, with the beginning of its ID."""
    shared = Counter(client.host for client in basis.clients)
    return {
        client.process_id: client.host if shared[client.host] == 1 else f"{client.host} ({str(client.process_id)[:SHORT_ID]}…)"
        for client in basis.clients
        if client.host
    }


def client_name(basis: Basis, process_id: ProcessId) -> str:
    """A client by the host on which it ran before anything was done."""
    known = basis.client(process_id)
    return f"{known.host} ({str(process_id)[:SHORT_ID]}…)" if known is not None and known.host else f"client {process_id}"
