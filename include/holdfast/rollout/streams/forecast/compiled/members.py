"""Members of clients as they are named in what follows, whatever they report."""

from dataclasses import replace

from holdfast.kafka.streams.group import Client, Consumer

MOST_MEMBERS = 10_000
"""Clients of which these are kept; then all are forgotten."""


class Members:
    """The members of clients without what they report. They are kept by the identity of the client: from one rebalance to the next,
    and from one course of a search to the next, most clients are the same objects."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Client, tuple[Consumer, ...]]] = {}

    def of(self, client: Client) -> tuple[Consumer, ...]:
        known = self._known.get(id(client))
        if known is None:
            if len(self._known) >= MOST_MEMBERS:
                self._known.clear()
            known = client, tuple([replace(one, owned=(), task_offset_sums=()) for one in client.consumers])
            self._known[id(client)] = known
        return known[1]
