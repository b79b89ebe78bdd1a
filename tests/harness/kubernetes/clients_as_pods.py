"""Three clients as pods: of a StatefulSet, of a Deployment each, or of one Deployment; which pod each is, and what acts on it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

from tests.harness.article import A, B, C
from tests.harness.kubernetes import controller
from tests.harness.kubernetes.cluster import Cluster

from holdfast.actor import Actor
from holdfast.adapters.hosts.kubernetes import deployment_actor, deployments, pods, shared_deployment, stateful_actor
from holdfast.adapters.hosts.kubernetes.api import Api
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.deployment_actor import DeploymentActor, OnePodDeployments
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.adapters.hosts.kubernetes.shared_deployment import SharedDeployment, SharedDeploymentActor
from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload

NAME = "words"
ORDINALS = {A: 2, B: 1, C: 0}
"""By client. A StatefulSet is scaled, and its partition moved, from the highest ordinal down: A is the first one."""
LIMIT_S = 60.0
"""Of real time, for an act: pods change at once."""
MODULES = (stateful_actor, deployment_actor, shared_deployment)
ApiOf = Callable[[Server, float], Api]


class ClientsAsPods(Protocol):
    def make(self, cluster: Cluster, namespace: str) -> None:
        """The workloads; their pods run."""
        ...

    def uids(self, cluster: Cluster, namespace: str) -> dict[str, str]:
        """Of the pod of each client that has one."""
        ...

    def actor(self, server: Server, namespace: str, api_of: ApiOf) -> Actor: ...


@dataclass
class OfStatefulSet:
    """`partition`: their template has changed, and waits behind the partition. `first`: the ordinal of the first pod."""

    partition: bool = False
    restart_by: RestartBy = RestartBy.DELETE
    first: int = 0

    def make(self, cluster: Cluster, namespace: str) -> None:
        spec: dict[str, Any] = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}}
        if self.first:
            spec["ordinals"] = {"start": self.first}
        cluster.stateful_set(namespace, NAME, **spec)
        controller.settle(cluster, namespace)
        if self.partition:
            strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": len(ORDINALS)}}
            change = {"template": {"metadata": {"annotations": {"to": "2"}}}, "updateStrategy": strategy}
            cluster.api().patch(f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{NAME}", {"spec": change})
            controller.settle(cluster, namespace)

    def uids(self, cluster: Cluster, namespace: str) -> dict[str, str]:
        found = {one["metadata"]["name"]: str(one["metadata"]["uid"]) for one in cluster.api().listed(_pods(namespace))}
        return {client: found[name] for client, name in self._names().items() if name in found}

    def _names(self) -> dict[str, str]:
        return {client: f"{NAME}-{self.first + number}" for client, number in ORDINALS.items()}

    def actor(self, server: Server, namespace: str, api_of: ApiOf) -> Actor:
        with patch.object(stateful_actor, "Api", api_of):
            return StatefulActor(server, Workload(namespace, NAME, "app", None, self._names(), LIMIT_S, self.restart_by))


class OfDeployments:
    """One of each client."""

    def make(self, cluster: Cluster, namespace: str) -> None:
        for number in ORDINALS.values():
            labels = {"app": "words", "n": str(number)}
            template = cluster.template() | {"metadata": {"labels": labels}}
            spec = {"strategy": {"type": "Recreate"}, "selector": {"matchLabels": labels}, "template": template}
            cluster.deployment(namespace, f"{NAME}-{number}", 1, **spec)
        controller.settle(cluster, namespace)

    def uids(self, cluster: Cluster, namespace: str) -> dict[str, str]:
        found = {name: _uids(cluster, namespace, f"{NAME}-{number}") for name, number in ORDINALS.items()}
        assert all(len(one) <= 1 for one in found.values()), found
        return {client: one[0] for client, one in found.items() if one}

    def actor(self, server: Server, namespace: str, api_of: ApiOf) -> Actor:
        clients = {client: {"n": str(number)} for client, number in ORDINALS.items()}
        with patch.object(deployment_actor, "Api", api_of):
            return DeploymentActor(server, OnePodDeployments(namespace, f"{NAME}-{{n}}", "app", None, clients, LIMIT_S))


@dataclass
class OfOneDeployment:
    """`folder`: where the state directories of the pods are, by their names."""

    folder: Path
    of: dict[str, str] = field(default_factory=dict)
    """By client the UID of the pod that it is, from the beginning."""

    def make(self, cluster: Cluster, namespace: str) -> None:
        cluster.deployment(namespace, NAME, len(ORDINALS))
        controller.settle(cluster, namespace)
        for client, pod in zip(ORDINALS, deployments.look(cluster.api(), namespace, NAME).pods, strict=True):
            self.of[client] = pod.uid
            (self.folder / pod.name).mkdir(parents=True)
            (self.folder / pod.name / "kafka-streams-process-metadata").write_text(f'{{"processId":"{client}"}}')

    def uids(self, cluster: Cluster, namespace: str) -> dict[str, str]:
        there = _uids(cluster, namespace, NAME)
        return {client: uid for client, uid in self.of.items() if uid in there}

    def actor(self, server: Server, namespace: str, api_of: ApiOf) -> Actor:
        with patch.object(shared_deployment, "Api", api_of):
            where = SharedDeployment(namespace, NAME, "app", f"{self.folder}/{{pod}}", LIMIT_S)
            return SharedDeploymentActor(server, where)


def _uids(cluster: Cluster, namespace: str, name: str) -> list[str]:
    return [pod.uid for pod in deployments.look(cluster.api(), namespace, name).pods]


def _pods(namespace: str) -> str:
    return pods.path_of(namespace, "").rstrip("/")
