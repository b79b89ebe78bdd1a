"""What acts on the clients of a group that are the pods of a StatefulSet: restarts, stops and starts them one at a time.

- Restart: the pod is deleted, if it is still the one that was looked at (its UID is a precondition), and its controller makes it
  anew. Where a changed template waits behind `partition`, that is moved by one instead: the controller then replaces just this pod.
- Stop and start: the StatefulSet is scaled by one. That ends or adds the pod with the highest ordinal; no other is stopped so.

Each is conditional on what was seen (UID, resourceVersion), so that one that is repeated after a crash is not done twice.
"""

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from holdfast.adapters.hosts import awaiting
from holdfast.adapters.hosts.kubernetes import address, pods
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import LIMIT_S, Api, ApiRefusal, Document, at, number, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.pod_shell import PodShell
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.errors import HoldfastError, HostTrouble
from holdfast.kafka import state_dir
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.text.wording import printable

_PAUSE_S = 1.0
_ATTEMPTS = 3
_READ = 'head -c 65537 -- "$1/kafka-streams-process-metadata"'
_READ_S = 20.0
_LARGEST_FILE = 65_536
_sleep = time.sleep
_IDENTITY = re.compile(r"[!-~]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Workload:
    """A StatefulSet. `clients`: its pods, by what else a client is called (process ID, `group.instance.id`, client ID).

    `state_dir`: the path of `<state.dir>/<application.id>` in the container, whose process ID shows which client a pod is.
    """

    namespace: str
    stateful_set: str
    container: str
    state_dir: str | None
    clients: Mapping[str, str]
    limit_s: float = 300.0
    """How long one act may take, until the pod has ended or runs again."""

    @property
    def path(self) -> str:
        return f"/apis/apps/v1/namespaces/{self.namespace}/statefulsets/{self.stateful_set}"


class StatefulActor:
    """The port `Actor`. Every method that asks the API server raises HostTrouble."""

    def __init__(self, server: Server, workload: Workload, request_s: float = LIMIT_S) -> None:
        self._server = server
        self._api = Api(server, request_s)
        self._workload = workload
        self._clients = dict(workload.clients)
        self._seen: dict[str, Pod] = {}
        """By pod: the one that was last looked at. Only that one is deleted."""

    @property
    def limit_s(self) -> float:
        return self._workload.limit_s + 2 * self._api.limit_s

    def lacks(self, act: Act) -> str | None:
        try:
            self._pod_named(act)
        except HostTrouble as trouble:
            return str(trouble) if trouble.lasting else None  # what passes is waited for when the process is looked at
        return None

    def cannot_look(self, act: Act) -> str | None:
        """The same: what is known of a pod is enough for both."""
        return self.lacks(act)

    def process(self, act: Act) -> ClientProcess:
        name = self._pod_named(act)
        try:
            pod = pods.read(self._api, self._workload.namespace, name)
        except ApiRefusal as refusal:
            if refusal.status != 404:
                raise
            replicas = _replicas(self._api.get(self._workload.path))
            return ClientProcess(ProcessState.CHANGING if _ordinal(name) < replicas else ProcessState.STOPPED)
        container = pod.container(self._workload.container)
        if pod.goes or container is None or not container.run:
            return ClientProcess(ProcessState.CHANGING)
        self._seen[name] = pod
        identity = f"{pod.uid}/{container.restarts}"
        return ClientProcess(ProcessState.RUNNING, identity if _IDENTITY.fullmatch(identity) else None)

    def perform(self, does: Does, act: Act) -> str | None:
        ends_at = time.monotonic() + self._workload.limit_s
        name = self._pod_named(act)
        before = self._seen.get(name)
        failed = self._restart(name) if does is Does.RESTART else self._scale(_ordinal(name), 1 if does is Does.START else 0)
        if failed is not None:
            return failed
        if awaiting.shows(
            does, lambda: self.process(act), lambda _: not _same(self._seen[name], before), ends_at, lambda: _sleep(_PAUSE_S)
        ):
            return None
        return f"The pod {name} was not {does.goal.value} within {self._workload.limit_s:g} s; Kubernetes goes on with it."

    def _restart(self, name: str) -> str | None:
        seen = self._seen.get(name)
        if seen is None:
            return f"The pod {name} does not run: it was not restarted."
        for _ in range(_ATTEMPTS):
            workload = self._api.get(self._workload.path)
            waits = _waits_for_partition(workload, seen)
            if waits is None:
                return self._delete(seen)
            if waits > _ordinal(seen.name) + 1:
                return (
                    f"The StatefulSet {self._workload.stateful_set} has a changed template and the partition {waits}: pods are"
                    f" replaced from the highest ordinal down, and {name} comes after {self._workload.stateful_set}-{waits - 1}."
                )
            if self._patched(workload, {"spec": {"updateStrategy": {"rollingUpdate": {"partition": _ordinal(seen.name)}}}}):
                return None
        return f"The StatefulSet {self._workload.stateful_set} was changed again and again by another; nothing was done to {name}."

    def _delete(self, seen: Pod) -> str | None:
        """A pod that is gone, or another by now, was restarted already."""
        try:
            self._api.delete(seen.path, {"preconditions": {"uid": seen.uid}})
        except ApiRefusal as refusal:
            if refusal.status not in (404, 409):
                raise
        return None

    def _scale(self, ordinal: int, wanted: int) -> str | None:
        """To `ordinal` replicas (the pod ends), or one more (it is added)."""
        for _ in range(_ATTEMPTS):
            workload = self._api.get(self._workload.path)
            first = number(workload, "spec", "ordinals", "start") or 0
            now = _replicas(workload)
            if now == ordinal - first + wanted:
                return None
            if now != ordinal - first + 1 - wanted:
                return (
                    f"The StatefulSet {self._workload.stateful_set} has {now} replicas: scaling ends and adds only the pod with the"
                    f" highest ordinal, and {self._workload.stateful_set}-{ordinal} is another."
                )
            if not wanted and text(workload, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled") == "Delete":
                return (
                    f"The StatefulSet {self._workload.stateful_set} deletes the claim of a pod that it ends (whenScaled: Delete),"
                    f" and the state on it: set Retain, or stop {self._workload.stateful_set}-{ordinal} by hand."
                )
            if self._patched(workload, {"spec": {"replicas": ordinal - first + wanted}}):
                return None
        return f"The StatefulSet {self._workload.stateful_set} was changed again and again by another; it was not scaled."

    def _patched(self, seen: Document, change: Document) -> bool:
        """Whether it was still what was seen, and is changed now."""
        meta = {"uid": text(seen, "metadata", "uid"), "resourceVersion": text(seen, "metadata", "resourceVersion")}
        try:
            self._api.patch(self._workload.path, {"metadata": meta} | change)
        except ApiRefusal as refusal:
            if refusal.status == 409:
                return False
            raise
        return True

    def _pod_named(self, act: Act) -> str:
        """The pod of a client: as the admin's file says, by a name that both have, or whose volume holds its process ID.

        An address is no name: the next pod may have it.
        """
        found = next((self._clients[name] for name in act.listed_as if name in self._clients), None)
        found = found or next((name for name in act.listed_as if self._is_mine(name)), None)
        if found is None and self._workload.state_dir and act.client in act.listed_as:
            self._clients |= self._on_volumes()
            found = self._clients.get(act.client)
        if found is None or not self._is_mine(found):
            raise HostTrouble(
                f"no pod of {self._workload.stateful_set} is known for {printable(act.shown, 200)}: name it (`clients`)",
                begun=False,
                lasting=True,
            )
        return found

    def _is_mine(self, name: str) -> bool:
        return address.ordinal_of(name) is not None and name.rpartition("-")[0] == self._workload.stateful_set

    def _on_volumes(self) -> dict[str, str]:
        """Pods by the process IDs that their volumes hold. A pod that cannot be asked now has none."""
        workload = self._api.get(self._workload.path)
        found: dict[str, str] = {}
        for pod in pods.of_workload(self._api, self._workload.namespace, workload, {text(workload, "metadata", "uid")}):
            where = Address("", pod.namespace, pod.name, self._workload.container, self._workload.state_dir or "").of(pod.name)
            with suppress(HoldfastError):
                shell = PodShell(self._server, where, pod.uid)
                answer = shell.run(_READ, (where.path,), limit_s=_READ_S, most_bytes=_LARGEST_FILE)
                process_id = state_dir.parse_process_metadata(answer.stdout) if answer.status == 0 else None
                if process_id is not None:
                    found[str(process_id)] = pod.name
        return found


def _same(one: Pod, other: Pod | None) -> bool:
    return other is not None and (one.uid, one.containers) == (other.uid, other.containers)


def _waits_for_partition(workload: Document, pod: Pod) -> int | None:
    """The partition, where a changed template waits behind it for this pod; None: deleting the pod is how it is replaced."""
    strategy = at(workload, "spec", "updateStrategy")
    newest = text(workload, "status", "updateRevision")
    if text(strategy, "type") == "OnDelete" or not newest or pod.revision == newest:
        return None
    partition = number(strategy, "rollingUpdate", "partition") or 0
    return partition if partition > _ordinal(pod.name) else None


def _ordinal(name: str) -> int:
    found = address.ordinal_of(name)
    assert found is not None, name
    return found


def _replicas(workload: Document) -> int:
    found = number(workload, "spec", "replicas")
    return 1 if found is None else found  # Kubernetes' default
