"""Pods as the API server describes them, and those that a StatefulSet or a Deployment controls.

Identity is the UID: a StatefulSet gives a replaced pod the same name, and never the same UID.
"""

from dataclasses import dataclass

from holdfast.adapters.hosts.kubernetes import address
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import Api, ApiRefusal, Document, at, number, objects, text
from holdfast.errors import HostTrouble

MOST_PODS = 1_000
"""Of one address."""


@dataclass(frozen=True, slots=True)
class PodController:
    """The controller of a pod: a StatefulSet, a ReplicaSet, …"""

    kind: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Container:
    """`run`: of what runs now (its runtime's ID); "" while it does not run. `mounts`: volume and the path that it is mounted at."""

    name: str
    run: str
    restarts: int
    mounts: tuple["Mount", ...]


@dataclass(frozen=True, slots=True)
class Mount:
    """`depends`: on variables of the container (`subPathExpr`)."""

    volume: str
    path: str
    sub_path: str
    depends: bool = False


@dataclass(frozen=True, slots=True)
class Volume:
    """`claim`: of a persistent volume; "" for other kinds. `kind` is Kubernetes' word: `emptyDir`, `persistentVolumeClaim`, …"""

    name: str
    kind: str
    claim: str


@dataclass(frozen=True, slots=True)
class Pod:
    """`phase` is Kubernetes' word; `goes`: it has been deleted and is ending. `revision`: of its StatefulSet's template."""

    namespace: str
    name: str
    uid: str
    phase: str
    node: str
    owner: PodController | None
    containers: tuple[Container, ...]
    ephemeral: tuple[Container, ...]
    volumes: tuple[Volume, ...]
    goes: bool
    ready: bool
    revision: str
    fs_group: int | None
    user: int | None

    @property
    def path(self) -> str:
        """Of its object in the API."""
        return path_of(self.namespace, self.name)

    @property
    def has_ended(self) -> bool:
        """All of its containers, permanently."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def ordinal(self) -> int | None:
        """In its StatefulSet."""
        return address.ordinal_of(self.name) if self.owner is not None and self.owner.kind == "StatefulSet" else None

    def container(self, name: str) -> Container | None:
        return next((one for one in (*self.containers, *self.ephemeral) if one.name == name), None)

    def volume_of(self, mount: Mount) -> Volume | None:
        return next((one for one in self.volumes if one.name == mount.volume), None)


def path_of(namespace: str, pod: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods/{pod}"


def read(api: Api, namespace: str, name: str) -> Pod:
    """Raise HostTrouble where there is no such pod."""
    try:
        return parsed(api, api.get(path_of(namespace, name)), namespace, name)
    except ApiRefusal as refusal:
        if refusal.status != 404:
            raise
        raise ApiRefusal(
            f"{api.server.shown}: namespace {namespace} has no pod {name}: the application is down there, or has another name"
            f" (kubectl get pods -n {namespace})",
            404,
            refusal.reason,
        ) from None


def parsed(api: Api, document: Document, namespace: str, wanted: str = "") -> Pod:
    """A pod of this namespace, and of this name where one is given. Raise HostTrouble for an answer that is no such pod's: what is
    asked of the API server next has its name."""
    name, uid = text(document, "metadata", "name"), text(document, "metadata", "uid")
    if not uid or not address.is_name(name):
        raise HostTrouble(f"{api.server.shown}: the API server describes a pod without a name or UID", begun=False)
    if text(document, "metadata", "namespace") != namespace or wanted not in ("", name):
        raise HostTrouble(f"{api.server.shown}: the API server describes another pod than {namespace}/{wanted}", begun=False)
    running = {
        text(one, "name"): (text(one, "containerID"), number(one, "restartCount") or 0)
        for field in ("containerStatuses", "ephemeralContainerStatuses")
        for one in objects(document, "status", field)
        if isinstance(at(one, "state", "running"), dict)
    }
    return Pod(
        namespace,
        name,
        uid,
        text(document, "status", "phase"),
        text(document, "spec", "nodeName"),
        _owner(document),
        _containers(document, "containers", running),
        _containers(document, "ephemeralContainers", running),
        tuple(_volume(one) for one in objects(document, "spec", "volumes")),
        goes=bool(text(document, "metadata", "deletionTimestamp")),
        ready=any(
            text(one, "type") == "Ready" and text(one, "status") == "True" for one in objects(document, "status", "conditions")
        ),
        revision=text(document, "metadata", "labels", "controller-revision-hash"),
        fs_group=number(document, "spec", "securityContext", "fsGroup"),
        user=number(document, "spec", "securityContext", "runAsUser"),
    )


def _owner(document: Document) -> PodController | None:
    owners = objects(document, "metadata", "ownerReferences")
    found = next((one for one in owners if at(one, "controller") is True), None)
    return PodController(text(found, "kind"), text(found, "name"), text(found, "uid")) if found else None


def _containers(document: Document, field: str, running: dict[str, tuple[str, int]]) -> tuple[Container, ...]:
    return tuple(
        Container(
            text(one, "name"),
            *running.get(text(one, "name"), ("", 0)),
            tuple(
                Mount(text(mount, "name"), text(mount, "mountPath"), text(mount, "subPath"), bool(text(mount, "subPathExpr")))
                for mount in objects(one, "volumeMounts")
            ),
        )
        for one in objects(document, "spec", field)
    )


def _volume(document: Document) -> Volume:
    kinds = sorted(key for key, value in document.items() if key != "name" and isinstance(value, dict))
    return Volume(text(document, "name"), kinds[0] if kinds else "", text(document, "persistentVolumeClaim", "claimName"))


def named(api: Api, where: Address) -> tuple[Address, ...]:
    """The addresses of all pods that an address stands for, by ordinal, else by name; the address itself, where it is that of a
    Deployment without any. Raise HostTrouble where there is none."""
    if where.is_one:
        return (where,)
    found = sorted(_controlled(api, where), key=lambda pod: (pod.ordinal if pod.ordinal is not None else -1, pod.name))
    if not found and where.deployment is not None and not where.depends_on_pod:
        return (where,)  # which has a claim, or nothing
    if not found:
        raise HostTrouble(f"{api.server.shown}: no pod belongs to {where.pod} in namespace {where.namespace}", begun=False)
    if len(found) > MOST_PODS:
        raise HostTrouble(f"{api.server.shown}: {where.pod} has more than {MOST_PODS:,} pods", begun=False)
    return tuple(where.of(pod.name) for pod in found)


def is_one_of(api: Api, where: Address, name: str, more: int) -> bool:
    """Whether a pod is one of those that an address stands for: controlled by the workload; or not there now, with an ordinal that
    the StatefulSet has by its replicas and `more` of them. Raise HostTrouble where that cannot be seen."""
    if any(pod.name == name for pod in _controlled(api, where)):
        return True
    ordinal = address.ordinal_of(name)
    if where.stateful_set is None or ordinal is None or name != f"{where.stateful_set}-{ordinal}":
        return False
    workload = api.get(f"/apis/apps/v1/namespaces/{where.namespace}/statefulsets/{where.stateful_set}")
    first, replicas = number(workload, "spec", "ordinals", "start") or 0, number(workload, "spec", "replicas")
    if not first <= ordinal < first + (1 if replicas is None else replicas) + more:
        return False
    try:
        read(api, where.namespace, name)
    except ApiRefusal as refusal:
        return refusal.status == 404
    return False


def _controlled(api: Api, where: Address) -> list[Pod]:
    if where.stateful_set is not None:
        workload = api.get(f"/apis/apps/v1/namespaces/{where.namespace}/statefulsets/{where.stateful_set}")
        return of_workload(api, where.namespace, workload, {text(workload, "metadata", "uid")})
    workload = api.get(f"/apis/apps/v1/namespaces/{where.namespace}/deployments/{where.deployment}")
    mine = text(workload, "metadata", "uid")
    replica_sets = api.listed(f"/apis/apps/v1/namespaces/{where.namespace}/replicasets", {"labelSelector": selector(workload)})
    owners = {text(one, "metadata", "uid") for one in replica_sets if is_owned_by(one, mine)}
    return of_workload(api, where.namespace, workload, owners)


def of_workload(api: Api, namespace: str, workload: Document, owners: set[str]) -> list[Pod]:
    """The pods that a workload's selector finds and one of `owners` (UIDs) controls: labels alone prove nothing. None has ended."""
    found = api.listed(f"/api/v1/namespaces/{namespace}/pods", {"labelSelector": selector(workload)})
    pods = [parsed(api, one, namespace) for one in found]
    return [pod for pod in pods if pod.owner is not None and pod.owner.uid in owners and not pod.has_ended]


def is_owned_by(document: Document, uid: str) -> bool:
    """Whether an object's controller has this UID."""
    return bool(uid) and any(
        at(one, "controller") is True and text(one, "uid") == uid for one in objects(document, "metadata", "ownerReferences")
    )


def selector(workload: Document) -> str:
    """A workload's selector as a query has it. Raise HostTrouble for one that selects everything: that is none."""
    labels = at(workload, "spec", "selector", "matchLabels")
    terms = [f"{key}={value}" for key, value in sorted(labels.items())] if isinstance(labels, dict) else []
    terms += [_expression(one) for one in objects(workload, "spec", "selector", "matchExpressions")]
    if not terms:
        raise HostTrouble("a workload without a selector has no pods of its own", begun=False)
    return ",".join(terms)


def _expression(one: Document) -> str:
    key, operator, values = text(one, "key"), text(one, "operator"), at(one, "values")
    some = ",".join(str(value) for value in values) if isinstance(values, list) else ""
    forms = {"In": f"{key} in ({some})", "NotIn": f"{key} notin ({some})", "Exists": key, "DoesNotExist": f"!{key}"}
    if operator not in forms:
        raise HostTrouble(f"a selector with the operator {operator!r} is unknown", begun=False)
    return forms[operator]
