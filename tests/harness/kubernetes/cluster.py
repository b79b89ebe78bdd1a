"""A cluster for tests, whichever server answers: the contract server, or (`bin/test-kubernetes`) a real kube-apiserver with etcd.

There are no nodes, and no controllers but where they are asked for: tests write pods and their states themselves, and play the
controller.
"""

import base64
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.harness.kubernetes.contract_server import ContractServer
from tests.harness.kubernetes.kubelet import Kubelet
from tests.harness.kubernetes.real_server import RealServer, pem

from holdfast.adapters.hosts.kubernetes.api import STRATEGIC, Api, Document
from holdfast.adapters.hosts.kubernetes.connection import Access, Server

REAL = os.environ.get("HOLDFAST_KUBE_APISERVER")
USERS = ("admin", "reader", "operator", "nobody")
NODE = "node-1"
IMAGE = "registry.invalid/app:1"


@dataclass
class Cluster:
    """`contract`: the server of the tests, which can be made to fail; None: a real one."""

    url: str
    certificate: Path
    tokens: dict[str, str]
    kubelet: Kubelet
    contract: ContractServer | None
    real: RealServer | None = None
    has_controllers: bool = False
    """Kubernetes' own; else tests play them (`controller`)."""
    namespaces: list[str] = field(default_factory=list)
    servers: dict[str, Server] = field(default_factory=dict)
    """By user: a connection is used again."""

    def kube_config(self, user: str = "admin", **cluster: object) -> dict[str, Any]:
        trusted = base64.b64encode(self.certificate.read_bytes()).decode()
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "c", "cluster": {"server": self.url, "certificate-authority-data": trusted, **cluster}}],
            "users": [{"name": user, "user": {"token": self.tokens[user]}}],
            "contexts": [{"name": "test", "context": {"cluster": "c", "user": user}}],
        }

    def server(self, user: str = "admin") -> Server:
        if user not in self.servers:
            self.servers[user] = Server(Access("cluster test", kube_config=self.kube_config(user)))
        return self.servers[user]

    def api(self, user: str = "admin") -> Api:
        return Api(self.server(user))

    def namespace(self) -> str:
        """A new one."""
        name = f"ns-{secrets.token_hex(4)}"
        self.api().create("/api/v1/namespaces", {"metadata": {"name": name}})
        self.namespaces.append(name)
        return name

    def bind(self, namespace: str, user: str, role: Document) -> None:
        """Give a user a Role that was printed."""
        base = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
        self.api().create(f"{base}/roles", role)
        name = role["metadata"]["name"]
        self.api().create(
            f"{base}/rolebindings",
            {
                "metadata": {"name": f"{name}-{user}"},
                "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}],
                "roleRef": {"kind": "Role", "name": name, "apiGroup": "rbac.authorization.k8s.io"},
            },
        )

    def pod(self, namespace: str, name: str, **given: Any) -> Document:
        """A running pod with a container `app`. `owner`: its controller; `labels`; `spec`: further fields."""
        owner = given.get("owner")
        meta: Document = {"name": name, "labels": {"app": "words", **given.get("labels", {})}}
        if owner is not None:
            kind, found = owner
            meta["ownerReferences"] = [
                {
                    "apiVersion": "apps/v1",
                    "kind": kind,
                    "controller": True,
                    "name": found["metadata"]["name"],
                    "uid": found["metadata"]["uid"],
                }
            ]
        containers = given.get("containers", [{"name": "app", "image": IMAGE}])
        spec = {"nodeName": NODE, "terminationGracePeriodSeconds": 30, "containers": containers, **given.get("spec", {})}
        pods = f"/api/v1/namespaces/{namespace}/pods"
        self.api().create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
        return self.runs(namespace, name, "containerStatuses", [one["name"] for one in containers])

    def runs(self, namespace: str, name: str, part: str, names: list[str], restarts: int = 0) -> Document:
        """Say, as a kubelet does, that these containers run."""
        statuses = [
            {
                "name": one,
                "image": IMAGE,
                "imageID": "x",
                "ready": True,
                "restartCount": restarts,
                "containerID": f"containerd://{secrets.token_hex(8)}",
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
            }
            for one in names
        ]
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], part: statuses}
        return self.api().patch(f"/api/v1/namespaces/{namespace}/pods/{name}/status", {"status": status})

    def schedule(self, namespace: str, name: str) -> None:
        """The pod gets its node, as the scheduler gives it."""
        target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
        self.api().create(f"/api/v1/namespaces/{namespace}/pods/{name}/binding", {"metadata": {"name": name}, "target": target})

    def end(self, namespace: str, name: str) -> None:
        """The pod is gone, as its kubelet says when all of it has ended."""
        self.api().delete(f"/api/v1/namespaces/{namespace}/pods/{name}", {"gracePeriodSeconds": 0})

    def template(self, **spec: Any) -> Document:
        """Of pods with a container `app`."""
        return {"metadata": {"labels": {"app": "words"}}, "spec": {"containers": [{"name": "app", "image": IMAGE}], **spec}}

    def stateful_set(self, namespace: str, name: str, replicas: int = 3, **spec: Any) -> Document:
        return self._workload(namespace, "statefulsets", name, {"replicas": replicas, "serviceName": name, **spec})

    def deployment(self, namespace: str, name: str, replicas: int = 2, **spec: Any) -> Document:
        return self._workload(namespace, "deployments", name, {"replicas": replicas, **spec})

    def replica_set(self, namespace: str, name: str, owner: Document, replicas: int = 2, **meta: Any) -> Document:
        found = owner["metadata"]
        controller = {"apiVersion": "apps/v1", "kind": "Deployment", "controller": True, "name": found["name"], "uid": found["uid"]}
        spec = {"replicas": replicas} | {key: owner["spec"][key] for key in ("selector", "template")}
        labels = owner["spec"]["template"]["metadata"]["labels"]
        return self._workload(namespace, "replicasets", name, spec, {"ownerReferences": [controller], "labels": labels, **meta})

    def another(self) -> str:
        """The end of a pod's name."""
        return secrets.token_hex(3)

    def _workload(self, namespace: str, kind: str, name: str, spec: Document, meta: Document | None = None) -> Document:
        template = self.template()
        return self.api().create(
            f"/apis/apps/v1/namespaces/{namespace}/{kind}",
            {
                "metadata": {"name": name, "labels": {"app": "words"}, **(meta or {})},
                "spec": {"selector": {"matchLabels": {"app": "words"}}, "template": template, **spec},
            },
        )

    def _add_node(self) -> None:
        self.api().create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
        status = {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self.kubelet.port}},
        }
        self.api().patch(f"/api/v1/nodes/{NODE}/status", {"status": status}, STRATEGIC)


@contextmanager
def running(folder: Path, program: str | None = REAL, *, controllers: bool = False) -> Iterator[Cluster]:
    """A cluster that keeps its files in `folder`. `program`: a kube-apiserver; None: the contract server. `controllers`: with
    Kubernetes' own, if the server is (a kube-controller-manager in the same folder)."""
    certificate, key = certificate_of(folder)
    tokens = {user: secrets.token_hex(16) for user in USERS}
    kubelet = Kubelet(certificate, key)
    contract: ContractServer | None = None
    real: RealServer | None = None
    ends: list[Callable[[], None]] = [kubelet.close]
    try:
        if program:
            manager = Path(program).with_name("kube-controller-manager") if controllers else None
            real = RealServer(Path(program), folder, certificate, key, tokens, manager)
            ends.append(real.close)
            url = real.url
        else:
            contract = ContractServer(certificate, key, {token: user for user, token in tokens.items()}, kubelet)
            ends.append(contract.close)
            url = contract.url
        cluster = Cluster(url, certificate, tokens, kubelet, contract, real, has_controllers=real is not None and controllers)
        cluster._add_node()
        yield cluster
    finally:
        for end in reversed(ends):
            end()


def certificate_of(folder: Path) -> tuple[Path, Path]:
    """Of a server of this machine that has signed itself, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "holdfast")])
    now = datetime.now(UTC)
    here = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(here), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .add_extension(x509.KeyUsage(True, *[False] * 4, True, *[False] * 3), critical=True)  # signs, and signs certificates
        .sign(key, hashes.SHA256())
    )
    (folder / "server.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(pem(key))
    return folder / "server.crt", folder / "server.key"
