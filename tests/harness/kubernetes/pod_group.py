"""A group whose clients are pods, moved by runs that are killed while their API server goes away.

The pods, their workloads and the API server are a cluster (`cluster.running`); time, the group and the lake are a `RunningGroup`.
What is counted is what happened to pods: each one that is replaced, ended or added has another UID, or none.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from tests.harness.kubernetes import controller
from tests.harness.kubernetes.clients_as_pods import MODULES, ORDINALS, ClientsAsPods
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.kubernetes.real_server import API_SERVER, CONTROLLERS, ETCD
from tests.harness.running_group import Killed, RunningGroup
from urllib3.exceptions import NewConnectionError, ProtocolError

from holdfast.actor import Actor
from holdfast.adapters.hosts.kubernetes import api
from holdfast.adapters.hosts.kubernetes.api import Api, Document
from holdfast.adapters.hosts.kubernetes.connection import Access, Server
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does
from holdfast.workflows.running import run as running

AT_REQUESTS = ("killed before", "killed after", "away", "answer lost")
OF_SERVERS = {"API server killed": API_SERVER, "etcd killed": ETCD, "controllers killed": CONTROLLERS}
"""With SIGKILL, around the moment of a request; they are started again at once with what they have kept."""
_WITHIN_S = 0.03
_BACK_S = 180.0


class Trouble:
    """What happens to the requests of a run. `away`: requests that find no API server; `most`: how often there is trouble;
    `servers`: how often one of the servers is killed, in addition; `often`: the chance that it happens at a request."""

    def __init__(self, chance: random.Random, most: int, servers: int = 0, often: float = 0.12) -> None:
        self.chance, self.most, self.servers, self.often = chance, most, servers, often
        self.away = 0
        self.found = dict.fromkeys((*AT_REQUESTS, *OF_SERVERS), 0)

    def kind(self) -> str | None:
        """Of this request. An API server that is away stays so for some requests."""
        if self.away:
            self.away -= 1
            return "refused"
        kinds = AT_REQUESTS if self._had(AT_REQUESTS) < self.most else ()
        kinds += tuple(OF_SERVERS) if self._had(OF_SERVERS) < self.servers else ()
        if not kinds or self.chance.random() > self.often:
            return None
        kind = self.chance.choice(kinds)
        self.found[kind] += 1
        self.away = self.chance.randint(0, 6) if kind == "away" else self.away
        return kind

    def _had(self, kinds: Any) -> int:
        return sum(self.found[one] for one in kinds)


class _Pool:
    """urllib3's, to a server that goes away before a request, or before its answer."""

    def __init__(self, pool: Any, server: "_Troubled") -> None:
        self._pool, self._server = pool, server

    def request(self, *given: Any, **more: Any) -> Any:
        kind = self._server.kind.pop() if self._server.kind else None
        if kind in ("away", "refused"):
            raise NewConnectionError(self._pool, "connection refused")
        with self._server.killing(kind):
            answer = self._pool.request(*given, **more)
        if kind == "answer lost":
            answer.close()
            raise ProtocolError("connection reset")
        return answer


class _Troubled(Server):
    def __init__(self, access: Access, cluster: Cluster, chance: random.Random) -> None:
        super().__init__(access)
        self.kind: list[str | None] = []
        self._cluster, self._chance = cluster, chance

    def pool(self) -> Any:
        return _Pool(super().pool(), self)

    @contextmanager
    def killing(self, kind: str | None) -> Iterator[None]:
        """A process of the cluster is killed before the request in here is sent, while it is carried out, or after it."""
        name, real = OF_SERVERS.get(kind or ""), self._cluster.real
        if name is None:
            yield
            return
        assert real is not None, "only a real one can be killed"
        timer = threading.Timer(self._chance.uniform(0, _WITHIN_S), real.kill, (name,))
        timer.start()
        try:
            yield
        finally:
            timer.join()


class PodGroup(RunningGroup):
    """Three clients."""

    def __init__(self, cluster: Cluster, trouble: Trouble, clients: ClientsAsPods) -> None:
        super().__init__()
        self.cluster, self.trouble, self.clients = cluster, trouble, clients
        self.namespace = cluster.namespace()
        clients.make(cluster, self.namespace)
        self.uids = clients.uids(cluster, self.namespace)
        assert len(self.uids) == len(ORDINALS)
        self._actor = self._new_actor()

    def _new_actor(self) -> Actor:
        access = Access("cluster test", kube_config=self.cluster.kube_config())
        server = _Troubled(access, self.cluster, self.trouble.chance)
        return self.clients.actor(server, self.namespace, lambda reached, limit_s: _Mortal(reached, limit_s, self.trouble))

    # Its controllers, whenever time passes.

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.reconcile()

    def reconcile(self) -> None:
        """What the cluster makes of what was asked of it, and what became of each pod."""
        self._settle()
        now = self.clients.uids(self.cluster, self.namespace)
        for client in ORDINALS:
            before, after = self.uids.get(client), now.get(client)
            if before != after:
                self.take_effect(Does.STOP if after is None else Does.START if before is None else Does.RESTART, client)
        self.uids = now

    def _settle(self) -> None:
        """Servers that were killed are waited for: only runs meet them while they are away."""
        ends_at = time.monotonic() + _BACK_S
        while True:
            try:
                if self.cluster.real is not None:
                    self.cluster.real.wait()
                controller.settle(self.cluster, self.namespace)
            except HostTrouble:
                if self.cluster.real is None or time.monotonic() > ends_at:
                    raise
            else:
                return

    # The actor.

    def means(self, run: str | None = None) -> running.Means:
        self._actor = self._new_actor()
        return super().means(run)

    def lacks(self, act: Act) -> str | None:
        return self._actor.lacks(act)

    def process(self, act: Act) -> ClientProcess:
        return self._actor.process(act)

    def perform(self, does: Does, act: Act) -> str | None:
        return self._actor.perform(does, act)


class _Mortal(Api):
    """The run that asks may be killed before a request, and after its answer has come."""

    def __init__(self, server: Any, limit_s: float, trouble: Trouble) -> None:
        super().__init__(server, limit_s)
        self._trouble = trouble

    def _request(self, *given: Any, **more: Any) -> Document:
        kind = self._trouble.kind()
        if kind == "killed before":
            raise Killed
        self.server.kind[:] = [kind]  # type: ignore[attr-defined]
        answer = super()._request(*given, **more)
        if kind == "killed after":
            raise Killed
        return answer


@contextmanager
def without_waiting(group: PodGroup) -> Iterator[None]:
    """Pods change whenever an act waits for them, and a request that is made again is made at once."""
    with ExitStack() as patches, patch.object(api, "_PAUSES_S", (0.0, 0.0, 0.0)):
        for module in MODULES:
            patches.enter_context(patch.object(module, "_sleep", lambda _: group.sleep(1.0)))
        yield


def until_it_ends(group: PodGroup, run: Callable[[], running.Ran], most: int = 60) -> running.Ran:
    """Run after run: one that was killed, or halted because pods could not be seen, is started again."""
    for _ in range(most):
        group.sleep(1.0)
        try:
            with without_waiting(group):
                ran = run()
        except Killed:
            continue
        if ran.halted is None:
            return ran
    raise AssertionError(f"{most} runs did not end it: {ran.halted}")
