"""The seam `Shell` where the application's own container has no shell, or is down: a container of Holdfast's on the same volume.

- The pod runs, its image has no sh: an ephemeral container in the pod, with the volume of the path. Kubernetes cannot remove one:
  it ends by itself, and while it runs the next script uses it again.
- There is no such pod: a pod of its own with the claim that a StatefulSet's pod of that name would have, or the pods of a
  Deployment that has none. It is deleted at once; what a killed process left ends by itself (`activeDeadlineSeconds`) and is
  deleted by the next, or with the workload.

Both need an image that an admin named, and run as the application's user, without capabilities, and without a token of the cluster.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from holdfast.adapters.hosts.kubernetes import address, deployments, pods
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import STRATEGIC, Api, ApiRefusal, Document, at, objects, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.exec_stream import NotStarted
from holdfast.adapters.hosts.kubernetes.pod_shell import PodShell
from holdfast.adapters.hosts.kubernetes.pods import Container, Mount, Pod
from holdfast.adapters.hosts.shell import ScriptEnd
from holdfast.errors import HoldfastError, HostTrouble

PREFIX = "holdfast-"
LABELS = {"app.kubernetes.io/managed-by": "holdfast", "app.kubernetes.io/component": "reader"}
STAYS_S = 300
"""How long such a container runs at most, whatever becomes of who started it."""
_PAUSE_S = 0.5
_NO_IMAGE = "Name an image with sh and coreutils or busybox for reading: `reader_image` of the connection, or HOLDFAST_READER_IMAGE"
_LEAST = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True}
_sleep = time.sleep


@dataclass(slots=True)
class PodHost:
    """Scripts where a state directory is. `image`: for containers of Holdfast's; "": none may be started.

    `is_where_it_runs`: the last script ran in the application's pod, where no lock of the application is hidden.
    """

    server: Server
    where: Address
    image: str = ""
    is_where_it_runs: bool = True

    @property
    def shown(self) -> str:
        return PodShell(self.server, self.where).shown

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        ends_at = time.monotonic() + limit_s

        def in_shell(shell: PodShell) -> ScriptEnd:
            remaining_s = max(0.1, ends_at - time.monotonic())
            return shell.run(script, arguments, stdin=stdin, limit_s=remaining_s, most_bytes=most_bytes)

        why, gone = f"{self.shown}: no pod of the Deployment is there", True
        if self.where.deployment is None:
            try:
                return in_shell(PodShell(self.server, self.where))
            except (NotStarted, ApiRefusal) as trouble:
                why, gone = str(trouble), isinstance(trouble, ApiRefusal)
                if isinstance(trouble, ApiRefusal) and trouble.status != 404:
                    raise
        if not self.image:
            raise HostTrouble(f"{why}. {_NO_IMAGE}", begun=False, lasting=True)
        with self._another(ends_at, limit_s, gone=gone) as shell:
            return in_shell(shell)

    @contextmanager
    def _another(self, ends_at: float, limit_s: float, *, gone: bool) -> Iterator[PodShell]:
        api = Api(self.server, limit_s)
        wait = _Wait(api, self.where.namespace, ends_at)
        if not gone:
            pod = pods.read(api, self.where.namespace, self.where.pod)
            mount = mount_of(self._container(pod), self.where, self.shown)
            volume = pod.volume_of(mount)
            if not mount.sub_path:
                name = _in_pod(api, pod, mount, self.where.container, self.image, wait)
                yield PodShell(self.server, replace(self.where, container=name), pod.uid)
                return
            if volume is None or not volume.claim:
                raise HostTrouble(
                    f"{self.shown}: {mount.path} is a subPath of a volume of the kind {volume.kind if volume else '?'}, and an"
                    " ephemeral container cannot mount one: an image with a shell is needed there",
                    begun=False,
                    lasting=True,
                )
            reads = _Reads(volume.claim, mount, node=pod.node, user=pod.user, group=pod.fs_group)
        else:
            reads = _claim_of(api, self.where, self.shown)
        self.is_where_it_runs = False
        with _pod_of_its_own(api, self.where, reads, self.image, wait) as made:
            yield PodShell(self.server, replace(self.where, pod=made.name, container="reader"), made.uid)

    def _container(self, pod: Pod) -> Container:
        found = pod.container(self.where.container)
        if found is None:
            raise HostTrouble(f"{self.shown}: the pod has no such container", begun=False, lasting=True)
        return found


@dataclass(frozen=True, slots=True)
class _Reads:
    """What a pod of its own mounts, where, and as whom. `owner`: with which it is deleted."""

    claim: str
    mount: Mount
    node: str = ""
    user: int | None = None
    group: int | None = None
    owner: Document | None = None
    tolerations: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wait:
    """For a container that was asked for."""

    api: Api
    namespace: str
    ends_at: float

    def running(self, pod: str, container: str) -> Pod:
        """The pod, once the container runs. Raise HostTrouble with Kubernetes' reason where it does not in time."""
        while True:
            document = self.api.get(pods.path_of(self.namespace, pod))
            found = pods.parsed(self.api, document, self.namespace, pod)
            named = found.container(container)
            if named is not None and named.run:
                return found
            if found.phase in ("Succeeded", "Failed") or time.monotonic() + _PAUSE_S > self.ends_at:
                why = _why_not(document, container) or f"pod {found.phase or 'without a phase'}"
                raise HostTrouble(f"pod {self.namespace}/{pod}: the container {container} does not run ({why})", begun=False)
            _sleep(_PAUSE_S)


def _why_not(document: Document, container: str) -> str:
    for field in ("containerStatuses", "ephemeralContainerStatuses"):
        for one in objects(document, "status", field):
            if text(one, "name") == container:
                return text(one, "state", "waiting", "reason") or text(one, "state", "terminated", "reason")
    return next((text(one, "reason") for one in objects(document, "status", "conditions") if text(one, "status") == "False"), "")


def mount_of(container: Container, where: Address, shown: str) -> Mount:
    """The volume that the path is on: of several the deepest."""
    found = [one for one in container.mounts if f"{where.path}/".startswith(f"{one.path.rstrip('/')}/")]
    if not found:
        raise HostTrouble(
            f"{shown}: {where.path} is on no volume of the container but inside of it: only its own commands reach it",
            begun=False,
            lasting=True,
        )
    deepest = max(found, key=lambda one: len(one.path))
    if deepest.depends:
        raise HostTrouble(
            f"{shown}: {deepest.path} is a part of a volume that depends on the pod (subPathExpr), for its own containers only",
            begun=False,
            lasting=True,
        )
    return deepest


def _in_pod(api: Api, pod: Pod, mount: Mount, target: str, image: str, wait: _Wait) -> str:
    """The name of a running ephemeral container on the volume."""
    mine = [one for one in pod.ephemeral if one.name.startswith(PREFIX) and one.run]
    there = next((one for one in mine if any((each.volume, each.path) == (mount.volume, mount.path) for each in one.mounts)), None)
    if there is not None:
        return there.name
    name = f"{PREFIX}{secrets.token_hex(4)}"
    container = _container(name, image, mount, pod.user, pod.fs_group) | {"targetContainerName": target}
    body = {"metadata": {"uid": pod.uid}, "spec": {"ephemeralContainers": [container]}}
    api.patch(f"{pod.path}/ephemeralcontainers", body, STRATEGIC)
    wait.running(pod.name, name)
    return name


def _container(name: str, image: str, mount: Mount, user: int | None, group: int | None) -> Document:
    """As the application's user; else as whom the image says, without the right to read what is others'."""
    who = {key: value for key, value in (("runAsUser", user), ("runAsGroup", group)) if value is not None}
    mounted = {"name": mount.volume, "mountPath": mount.path} | ({"subPath": mount.sub_path} if mount.sub_path else {})
    return {
        "name": name,
        "image": image,
        "command": ["sh", "-c", f"sleep {STAYS_S}"],
        "securityContext": _LEAST | who,
        "volumeMounts": [mounted],
    }


def _claim_of(api: Api, where: Address, shown: str) -> _Reads:
    """What a StatefulSet's pod of that name would mount, or the next pod of a Deployment that has none. Raise HostTrouble where
    nothing outlives the pod."""
    if where.deployment is not None:
        return _claim_of_deployment(api, where, where.deployment, shown)
    ordinal = address.ordinal_of(where.pod)
    if ordinal is None:
        raise HostTrouble(
            f"{shown}: the pod is gone, and belonged to no StatefulSet: what it had on an emptyDir went with it",
            begun=False,
            lasting=True,
        )
    name = where.pod.removesuffix(f"-{ordinal}")
    owner = api.get(f"/apis/apps/v1/namespaces/{where.namespace}/statefulsets/{name}")
    like = template_of(api, where, owner)
    container = like.container(where.container)
    if container is None:
        raise HostTrouble(f"{shown}: the StatefulSet {name} has no such container", begun=False, lasting=True)
    mount = mount_of(container, where, shown)
    made = {text(one, "metadata", "name") for one in objects(owner, "spec", "volumeClaimTemplates")}
    volume = like.volume_of(mount)
    claim = f"{mount.volume}-{where.pod}" if mount.volume in made else volume.claim if volume else ""
    if not claim:
        kind = volume.kind if volume and volume.kind else "emptyDir"
        raise HostTrouble(
            f"{shown}: the pod is gone, and {mount.path} was on a volume of the kind {kind}: what was on it went with it",
            begun=False,
            lasting=True,
        )
    meta = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name, "uid": text(owner, "metadata", "uid")}
    return _Reads(
        claim, mount, "", like.user, like.fs_group, meta, tuple(objects(owner, "spec", "template", "spec", "tolerations"))
    )


def _claim_of_deployment(api: Api, where: Address, name: str, shown: str) -> _Reads:
    found = deployments.look(api, where.namespace, name)
    if found.pods:
        raise HostTrouble(f"{shown}: the pod {found.pods[0].name} of the Deployment is there: name it", begun=False, lasting=True)
    like = template_of(api, where, found.deployment)
    container = like.container(where.container)
    if container is None:
        raise HostTrouble(f"{shown}: the Deployment {name} has no such container", begun=False, lasting=True)
    mount = mount_of(container, where, shown)
    volume = like.volume_of(mount)
    if volume is None or not volume.claim:
        raise HostTrouble(
            f"{shown}: no pod is there, and {mount.path} is on no claim: what was on it went with its pod",
            begun=False,
            lasting=True,
        )
    meta = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name, "uid": text(found.deployment, "metadata", "uid")}
    tolerations = tuple(objects(found.deployment, "spec", "template", "spec", "tolerations"))
    return _Reads(volume.claim, mount, "", like.user, like.fs_group, meta, tolerations)


def template_of(api: Api, where: Address, workload: Document) -> Pod:
    """A template is a pod without a name and status; the claims of a StatefulSet are made for each pod."""
    meta = {"name": where.stateful_set or where.deployment or where.pod, "namespace": where.namespace, "uid": "template"}
    return pods.parsed(api, {"metadata": meta, "spec": at(workload, "spec", "template", "spec")}, where.namespace)


@contextmanager
def _pod_of_its_own(api: Api, where: Address, reads: _Reads, image: str, wait: _Wait) -> Iterator[Pod]:
    """Running; deleted at the end, whatever happens."""
    base = f"/api/v1/namespaces/{where.namespace}/pods"
    _sweep(api, base)
    name = f"{PREFIX}reader-{secrets.token_hex(4)}"
    made = api.create(base, _reader(name, reads, image))
    try:
        yield wait.running(name, "reader")
    finally:
        _delete(api, base, name, text(made, "metadata", "uid"))


def _reader(name: str, reads: _Reads, image: str) -> Document:
    mount = replace(reads.mount, volume="data")
    spec: Document = {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": STAYS_S,
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [
            _container("reader", image, mount, reads.user, reads.group)
            | {"resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}}}
        ],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": reads.claim}}],
        "tolerations": list(reads.tolerations),
    }
    if reads.group is not None:
        spec["securityContext"] = {"supplementalGroups": [reads.group]}  # fsGroup would change the owner of every file
    if reads.node:
        spec["nodeName"] = reads.node  # a claim that one node at a time may use is attached there
    meta: Document = {"name": name, "labels": LABELS}
    if reads.owner is not None:
        meta["ownerReferences"] = [reads.owner]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _sweep(api: Api, base: str) -> None:
    """Delete what others left that has ended. Another's that runs is left alone."""
    wanted = ",".join(f"{key}={value}" for key, value in LABELS.items())
    with suppress(HoldfastError):  # to look is enough of a right for reading
        for one in api.listed(base, {"labelSelector": wanted}):
            if text(one, "status", "phase") in ("Succeeded", "Failed"):
                _delete(api, base, text(one, "metadata", "name"), text(one, "metadata", "uid"))


def _delete(api: Api, base: str, name: str, uid: str) -> None:
    """What cannot be deleted now ends by itself."""
    with suppress(HostTrouble):
        api.delete(f"{base}/{name}", {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})
