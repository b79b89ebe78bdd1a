"""A group whose clients are the pods of a StatefulSet, moved by runs that are killed while their API server goes away.

The pods, their StatefulSet and the API server are a cluster (`cluster.running`); time, the group and the lake are a `RunningGroup`.
What is counted is what happened to pods: each one that is replaced, ended or added has another UID, or none.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tests.harness.article import A, B, C
from tests.harness.kubernetes import controller
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.running_group import Killed, RunningGroup
from urllib3.exceptions import NewConnectionError, ProtocolError

from holdfast.adapters.hosts.kubernetes import api, stateful_actor
from holdfast.adapters.hosts.kubernetes.api import Api, Document
from holdfast.adapters.hosts.kubernetes.connection import Access, Server
from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does
from holdfast.workflows.running import run as running

NAME = "words"
ORDINALS = {A: 2, B: 1, C: 0}
"""By client. A StatefulSet is scaled, and its partition moved, from the highest ordinal down: A is the first one."""
LIMIT_S = 60.0
"""Of real time, for an act: pods change at once."""


class Trouble:
    """What happens to the requests of a run. `away`: requests that find no API server; `most`: how often there is trouble."""

    def __init__(self, chance: random.Random, most: int) -> None:
        self.chance, self.most = chance, most
        self.away = 0
        self.found = dict.fromkeys(("killed before", "killed after", "away", "answer lost"), 0)

    def kind(self) -> str | None:
        """Of this request. An API server that is away stays so for some requests."""
        if self.away:
            self.away -= 1
            return "refused"
        if sum(self.found.values()) >= self.most or self.chance.random() > 0.12:
            return None
        kind = self.chance.choice(list(self.found))
        self.found[kind] += 1
        self.away = self.chance.randint(0, 6) if kind == "away" else self.away
        return kind


class _Pool:
    """urllib3's, to a server that goes away before a request, or before its answer."""

    def __init__(self, pool: Any, kind: list[str | None]) -> None:
        self._pool, self._kind = pool, kind

    def request(self, *given: Any, **more: Any) -> Any:
        kind = self._kind.pop() if self._kind else None
        if kind in ("away", "refused"):
            raise NewConnectionError(self._pool, "connection refused")
        answer = self._pool.request(*given, **more)
        if kind == "answer lost":
            answer.close()
            raise ProtocolError("connection reset")
        return answer


class _Troubled(Server):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self.kind: list[str | None] = []

    def pool(self) -> Any:
        return _Pool(super().pool(), self.kind)


class PodGroup(RunningGroup):
    """Three pods. `partition`: their template has changed, and waits behind the partition."""

    def __init__(self, cluster: Cluster, trouble: Trouble, *, partition: bool = False) -> None:
        super().__init__()
        self.cluster, self.trouble = cluster, trouble
        self.namespace = cluster.namespace()
        cluster.stateful_set(self.namespace, NAME)
        controller.reconcile(cluster, self.namespace, NAME)
        if partition:
            strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": len(ORDINALS)}}
            change = {"template": {"metadata": {"annotations": {"to": "2"}}}, "updateStrategy": strategy}
            cluster.api().patch(f"/apis/apps/v1/namespaces/{self.namespace}/statefulsets/{NAME}", {"spec": change})
            controller.reconcile(cluster, self.namespace, NAME)
        self.uids = self._now()
        self._actor = self._new_actor()

    def _now(self) -> dict[str, str]:
        """UIDs by client."""
        pods = self.cluster.api().listed(f"/api/v1/namespaces/{self.namespace}/pods")
        by_name = {one["metadata"]["name"]: str(one["metadata"]["uid"]) for one in pods}
        return {client: by_name[f"{NAME}-{number}"] for client, number in ORDINALS.items() if f"{NAME}-{number}" in by_name}

    def _new_actor(self) -> StatefulActor:
        server = _Troubled(Access("cluster test", kube_config=self.cluster.kube_config()))
        clients = {client: f"{NAME}-{number}" for client, number in ORDINALS.items()}
        with patch.object(stateful_actor, "Api", lambda reached, limit_s: _Mortal(reached, limit_s, self.trouble)):
            return StatefulActor(server, Workload(self.namespace, NAME, "app", None, clients, limit_s=LIMIT_S))

    # Its controller, whenever time passes.

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.reconcile()

    def reconcile(self) -> None:
        """What the cluster makes of what was asked of it, and what became of each pod."""
        controller.reconcile(self.cluster, self.namespace, NAME)
        now = self._now()
        for client in ORDINALS:
            before, after = self.uids.get(client), now.get(client)
            if before != after:
                self.take_effect(Does.STOP if after is None else Does.START if before is None else Does.RESTART, client)
        self.uids = now

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
    with patch.object(stateful_actor, "_sleep", lambda _: group.sleep(1.0)), patch.object(api, "_PAUSES_S", (0.0, 0.0, 0.0)):
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
