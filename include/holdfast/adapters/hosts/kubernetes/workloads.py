"""What the actors on StatefulSets and Deployments have in common: conditional changes, a pod as a process, restarts by annotation.

A restart by annotation is what `kubectl rollout restart` does: a time in the annotations of the pod template makes it another
template, and the workload's controller replaces the pods.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from holdfast.adapters.hosts.kubernetes import address
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import Api, ApiRefusal, Document, number, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.pod_shell import PodShell
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.errors import HoldfastError, HostTrouble
from holdfast.kafka import state_dir as directories
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, ProcessState
from holdfast.rollout.text.format import printable

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
ATTEMPTS = 3
"""How often a change is made again where the object was changed by another meanwhile."""
PAUSE_S = 1.0
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_READ = 'head -c 65537 -- "$1/kafka-streams-process-metadata"'
_READ_S = 20.0
_LARGEST_FILE = 65_536
_IDENTITY = re.compile(r"[!-~]{1,200}", re.ASCII)
_MOST_ASKED = 1_000


def now() -> datetime:
    return datetime.now(UTC)


def restarted(workload: Document) -> Document:
    """The change of a template that restarts its pods. Never the time that it has: that would change nothing."""
    before = text(workload, "spec", "template", "metadata", "annotations", RESTARTED_AT)
    at = now()
    if at.strftime(_TIME) == before:
        at += timedelta(seconds=1)
    return {"metadata": {"annotations": {RESTARTED_AT: at.strftime(_TIME)}}}


def is_observed(workload: Document) -> bool:
    """Whether its controller has seen the last change, so that its status is about that."""
    generation = number(workload, "metadata", "generation")
    return generation is not None and generation == number(workload, "status", "observedGeneration")


def replicas(workload: Document) -> int:
    found = number(workload, "spec", "replicas")
    return 1 if found is None else found  # Kubernetes' default


def patched(api: Api, path: str, seen: Document, spec: Document, annotations: Mapping[str, str] | None = None) -> bool:
    """Whether the object was still what was seen, and is changed now."""
    meta: Document = {key: text(seen, "metadata", key) for key in ("uid", "resourceVersion")}
    if not all(meta.values()):
        raise HostTrouble(f"{api.server.shown}: {path} is described without a UID or version", begun=False, lasting=True)
    try:
        api.patch(path, {"metadata": meta | ({"annotations": dict(annotations)} if annotations else {}), "spec": spec})
    except ApiRefusal as refusal:
        if refusal.status == 409:
            return False
        raise
    return True


def process_of(pod: Pod, container: str) -> ClientProcess:
    """A pod's UID is another one after every replacement; a container that its kubelet starts again keeps its pod."""
    found = pod.container(container)
    if pod.goes or found is None or not found.run:
        return ClientProcess(ProcessState.CHANGING)
    identity = f"{pod.uid}/{found.restarts}"
    return ClientProcess(ProcessState.RUNNING, identity if _IDENTITY.fullmatch(identity) else None)


def is_same(one: Pod, other: Pod | None) -> bool:
    """Whether it is the same process."""
    return other is not None and (one.uid, one.containers) == (other.uid, other.containers)


def lost_with(pod: Pod, container: str, state_dir: str | None, *, keeps_name: bool) -> str | None:
    """What becomes of the state when the pod is replaced, in a sentence. None: it stays, or where it is was not given.

    `keeps_name`: the next pod has the same name.
    """
    found = pod.container(container)
    if state_dir is None or found is None:
        return None
    path = Address("", pod.namespace, pod.name, container, state_dir).of(pod.name).path
    mounts = [one for one in found.mounts if f"{path}/".startswith(f"{one.path.rstrip('/')}/")]
    if not mounts:
        return f"{path} of {pod.name} is on no volume: a restart loses the state."
    mount = max(mounts, key=lambda one: len(one.path))
    if mount.depends and not keeps_name:
        return f"{mount.path} of {pod.name} depends on the pod (subPathExpr), and the next pod has another name."
    volume = pod.volume_of(mount)
    if volume is None or volume.kind in ("emptyDir", "ephemeral"):
        kind = "unknown" if volume is None else volume.kind
        return f"{path} of {pod.name} is on a volume ({kind}) that goes with the pod: a restart loses the state."
    return None


def on_volumes(server: Server, found: Iterable[Pod], container: str, state_dir: str) -> dict[str, str]:
    """Pods by the process IDs that their volumes hold. A pod that cannot be asked now has none; an ID that two have is left out."""
    by_id: dict[str, list[str]] = {}
    for count, pod in enumerate(found):
        if count >= _MOST_ASKED:
            raise HostTrouble(f"there are more than {_MOST_ASKED:,} pods to look for a client on", begun=False, lasting=True)
        with suppress(HoldfastError):
            where = Address("", pod.namespace, pod.name, container, state_dir).of(pod.name)
            answer = PodShell(server, where, pod.uid).run(_READ, (where.path,), limit_s=_READ_S, most_bytes=_LARGEST_FILE)
            process_id = directories.parse_process_metadata(answer.stdout) if answer.status == 0 else None
            if process_id is not None:
                by_id.setdefault(str(process_id), []).append(pod.name)
    return {process_id: names[0] for process_id, names in by_id.items() if len(names) == 1}


def unknown_pod(act: Act, of: str) -> HostTrouble:
    return HostTrouble(f"no pod of {of} is known for {printable(act.shown, 200)}: name it (`clients`)", begun=False, lasting=True)


def ordinal(name: str) -> int:
    """Of the name of a StatefulSet's pod."""
    found = address.ordinal_of(name)
    assert found is not None, name
    return found
