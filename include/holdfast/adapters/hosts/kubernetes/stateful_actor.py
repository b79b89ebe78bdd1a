"""What acts on the clients of a group that are the pods of a StatefulSet: restarts, stops and starts them one at a time.

- Restart: the pod is deleted, if it is still the one that was looked at (its UID is a precondition), and its controller makes it
  anew. Where a changed template waits behind `partition`, that is moved by one instead: the controller then replaces just this pod.
- Restart by annotation: one change gives the template another time and sets `partition` so that only the pod with the highest
  ordinal is replaced; from then on a changed template waits behind the partition. No pod is deleted by Holdfast.
- Stop and start: the StatefulSet is scaled by one. That ends or adds the pod with the highest ordinal; no other is stopped so.

Each is conditional on what was seen (UID, resourceVersion), so that one that is repeated after a crash is not done twice.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.adapters.hosts import wait_for_act
from holdfast.adapters.hosts.kubernetes import address, pods, workloads
from holdfast.adapters.hosts.kubernetes.api import LIMIT_S, Api, ApiRefusal, Document, at, number, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.pod_actor import NamedPodActor
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.adapters.hosts.kubernetes.workloads import ATTEMPTS, PAUSE_S, is_observed, ordinal, patched, replicas
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

_sleep = time.sleep


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
    restart_by: RestartBy = RestartBy.DELETE

    @property
    def path(self) -> str:
        return f"/apis/apps/v1/namespaces/{self.namespace}/statefulsets/{self.stateful_set}"


class StatefulActor(NamedPodActor):
    """The port `Actor`. Every method that asks the API server raises HostTrouble."""

    def __init__(self, server: Server, workload: Workload, request_s: float = LIMIT_S) -> None:
        self._server = server
        super().__init__(Api(server, request_s), workload.limit_s)
        self._workload = workload
        self._clients = dict(workload.clients)
        self._seen: dict[str, Pod] = {}
        """By pod: the one that was last looked at. Only that one is replaced."""

    def lacks(self, act: Act) -> str | None:
        try:
            name = self._named(act)
            if act.does is Does.RESTART and self._workload.state_dir is not None:
                return self._loses(name)
        except HostTrouble as trouble:
            return str(trouble) if trouble.lasting else None  # what passes is waited for when the process is looked at
        return None

    def _loses(self, name: str) -> str | None:
        try:
            pod = pods.read(self._api, self._workload.namespace, name)
        except ApiRefusal as refusal:
            if refusal.status != 404:
                raise
            return None  # it is being replaced
        return workloads.lost_with(pod, self._workload.container, self._workload.state_dir, keeps_name=True)

    def process(self, act: Act) -> ClientProcess:
        name = self._named(act)
        try:
            pod = pods.read(self._api, self._workload.namespace, name)
        except ApiRefusal as refusal:
            if refusal.status != 404:
                raise
            workload = self._api.get(self._workload.path)
            is_wanted = 0 <= _index(workload, name) < replicas(workload)
            return ClientProcess(ProcessState.CHANGING if is_wanted else ProcessState.STOPPED)
        found = workloads.process_of(pod, self._workload.container)
        if found.state is ProcessState.RUNNING:
            self._seen[name] = pod
        return found

    def perform(self, does: Does, act: Act) -> str | None:
        name = self._named(act)
        before = self._seen.get(name)
        wanted = 1 if does is Does.START else 0
        failed = self._restart(name) if does is Does.RESTART else self._scale(ordinal(name), wanted)
        if failed is not None:
            return failed
        if wait_for_act.shows(
            does,
            lambda: self.process(act),
            lambda _: not workloads.is_same(self._seen[name], before),
            self._workload.limit_s,
            lambda: _sleep(PAUSE_S),
        ):
            return None
        return f"The pod {name} was not {does.goal.value} within {self._workload.limit_s:g} s; Kubernetes goes on with it."

    def _restart(self, name: str) -> str | None:
        seen = self._seen.get(name)
        if seen is None:
            return f"The pod {name} does not run: it was not restarted."
        by_annotation = self._workload.restart_by is RestartBy.ANNOTATION
        for _ in range(ATTEMPTS):
            workload = self._observed(name) if by_annotation else self._api.get(self._workload.path)
            if by_annotation and self._is_gone(seen):
                return None  # it was replaced meanwhile
            change = self._by_annotation(workload, seen) if by_annotation else self._by_partition(workload, seen)
            if isinstance(change, str):
                return change
            if change is None:
                return None if by_annotation else self._delete(seen)
            if patched(self._api, self._workload.path, workload, change):
                return None
        return f"{self._shown} was changed again and again by another; nothing was done to {name}."

    @property
    def _shown(self) -> str:
        return f"The StatefulSet {self._workload.stateful_set}"

    def _by_partition(self, workload: Document, seen: Pod) -> Document | str | None:
        """The change that lets the controller replace just this pod; why that is not possible. None: no changed template waits for
        it behind the partition."""
        waits = _waits_for_partition(workload, seen)
        if waits is None:
            return None
        index = _index(workload, seen.name)
        if waits > index + 1:
            before = ordinal(seen.name) - index + waits - 1
            return (
                f"{self._shown} has a changed template and the partition {waits}: pods are replaced from the highest ordinal down,"
                f" and {seen.name} comes after {self._workload.stateful_set}-{before}."
            )
        return {"updateStrategy": {"rollingUpdate": {"partition": index}}}

    def _by_annotation(self, workload: Document, seen: Pod) -> Document | str | None:
        """The same. None: the controller is about to replace it by itself."""
        newest = text(workload, "status", "updateRevision")
        if text(workload, "spec", "updateStrategy", "type") == "OnDelete":
            return f"{self._shown} replaces pods only when they are deleted (OnDelete): give `restart_by: delete`."
        if not newest or not seen.revision:
            return f"{self._shown} or its pod {seen.name} does not tell the revision of the template; nothing was done."
        if seen.revision != newest:
            return self._by_partition(workload, seen)
        index, last = _index(workload, seen.name), replicas(workload) - 1
        if index != last:
            first = ordinal(seen.name) - index + last
            return (
                f"An annotation restarts pods from the highest ordinal down: {self._workload.stateful_set}-{first} comes first, and"
                f" {seen.name} has the newest template already."
            )
        if text(workload, "status", "currentRevision") != newest:
            return f"{self._shown} has pods of an older template: bring its update to an end, or give `restart_by: delete`."
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": index}}
        return {"template": workloads.restarted(workload), "updateStrategy": strategy}

    def _observed(self, name: str) -> Document:
        """The StatefulSet, once its controller has seen its last change: until then its revisions are those of before. Raise
        HostTrouble where that takes long."""
        ends_at = time.monotonic() + min(self._workload.limit_s, wait_for_act.HOLDS_S)
        while True:
            workload = self._api.get(self._workload.path)
            if is_observed(workload):
                return workload
            if time.monotonic() > ends_at:
                shown = f"the StatefulSet {self._workload.stateful_set}"
                seen = f"the controller of {shown} has not seen its last change"
                raise HostTrouble(f"{seen}; nothing was done to {name}", begun=False)
            _sleep(PAUSE_S)

    def _is_gone(self, seen: Pod) -> bool:
        try:
            now = pods.read(self._api, seen.namespace, seen.name)
        except ApiRefusal as refusal:
            if refusal.status != 404:
                raise
            return True
        return now.uid != seen.uid or now.goes

    def _delete(self, seen: Pod) -> str | None:
        """A pod that is gone, or another by now, was restarted already."""
        try:
            self._api.delete(seen.path, {"preconditions": {"uid": seen.uid}})
        except ApiRefusal as refusal:
            if refusal.status not in (404, 409):
                raise
        return None

    def _scale(self, of_pod: int, wanted: int) -> str | None:
        """So that the pod ends (`wanted` 0), or is added (1)."""
        for _ in range(ATTEMPTS):
            workload = self._api.get(self._workload.path)
            first = _first(workload)
            now = replicas(workload)
            if now == of_pod - first + wanted:
                return None
            if now != of_pod - first + 1 - wanted:
                return (
                    f"{self._shown} has {now} replicas: scaling ends and adds only the pod with the highest ordinal, and"
                    f" {self._workload.stateful_set}-{of_pod} is another."
                )
            if not wanted and text(workload, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled") == "Delete":
                return (
                    f"{self._shown} deletes the claim of a pod that it ends (whenScaled: Delete), and the state on it: set Retain,"
                    f" or stop {self._workload.stateful_set}-{of_pod} by hand."
                )
            if patched(self._api, self._workload.path, workload, {"replicas": of_pod - first + wanted}):
                return None
        return f"{self._shown} was changed again and again by another; it was not scaled."

    def _named(self, act: Act) -> str:
        """The pod of a client: as the admin's file says, by a name that both have, or whose volume holds its process ID.

        An address is no name: the next pod may have it.
        """
        found = next((self._clients[name] for name in act.listed_as if name in self._clients), None)
        found = found or next((name for name in act.listed_as if self._is_mine(name)), None)
        if found is None and self._workload.state_dir and act.client in act.listed_as:
            self._clients |= self._on_volumes(self._workload.state_dir)
            found = self._clients.get(act.client)
        if found is None or not self._is_mine(found):
            raise workloads.unknown_pod(act, self._workload.stateful_set)
        return found

    def _is_mine(self, name: str) -> bool:
        return address.ordinal_of(name) is not None and name.rpartition("-")[0] == self._workload.stateful_set

    def _on_volumes(self, state_dir: str) -> dict[str, str]:
        workload = self._api.get(self._workload.path)
        found = pods.of_workload(self._api, self._workload.namespace, workload, {text(workload, "metadata", "uid")})
        return workloads.on_volumes(self._server, found, self._workload.container, state_dir)


def _waits_for_partition(workload: Document, pod: Pod) -> int | None:
    """The partition, where a changed template waits behind it for this pod; None: deleting the pod is how it is replaced."""
    strategy = at(workload, "spec", "updateStrategy")
    newest = text(workload, "status", "updateRevision")
    if text(strategy, "type") == "OnDelete" or not newest or pod.revision == newest:
        return None
    partition = number(strategy, "rollingUpdate", "partition") or 0
    return partition if partition > _index(workload, pod.name) else None


def _first(workload: Document) -> int:
    """The ordinal of its first pod."""
    return number(workload, "spec", "ordinals", "start") or 0


def _index(workload: Document, pod: str) -> int:
    """What replicas and the partition count: ordinals, but from its first pod on."""
    return ordinal(pod) - _first(workload)
