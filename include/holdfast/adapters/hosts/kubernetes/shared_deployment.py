"""What acts on the clients of a group that are the pods of one Deployment: stops the pod of a client, and starts one more.

Pods of a Deployment are called otherwise every time, so what was done for an act is kept on the Deployment itself, in an annotation
that is written by the same change that scales it: both happen, or none.

- Stop: the pod gets the lowest deletion cost, then the Deployment is scaled down by one. Kubernetes ends pods that are not ready
  first: where any is not, nothing is done. It promises no order, so where another pod ends instead, the act has failed.
- Start: scaled up by one. Name, node and process ID of the pod are Kubernetes' and the client's to make.
- Restart: none; a pod that is made in place of another is another client.
"""

import hashlib
import json
import time
from dataclasses import dataclass

from holdfast.adapters.hosts import wait_for_act
from holdfast.adapters.hosts.kubernetes import deployments, workloads
from holdfast.adapters.hosts.kubernetes.api import LIMIT_S, Api, Document, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.deployments import DELETION_COST, Deployed
from holdfast.adapters.hosts.kubernetes.pod_actor import PodActor
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.adapters.hosts.kubernetes.workloads import ATTEMPTS, PAUSE_S, patched
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

ACTS = "holdfast/acts"
"""The annotation: a JSON object, by the key of an act the UID of the pod that it ends; "" for a start."""
LOWEST_COST = "-2147483648"
_MOST_ACTS = 200
_LARGEST = 65_536
_sleep = time.sleep


@dataclass(frozen=True, slots=True)
class SharedDeployment:
    """`state_dir`: the path of `<state.dir>/<application.id>` in the container, whose process ID shows which client a pod is."""

    namespace: str
    deployment: str
    container: str
    state_dir: str | None
    limit_s: float = 300.0
    """How long one act may take, until the pod has ended or one more runs."""


class SharedDeploymentActor(PodActor):
    """The port `Actor`. Every method that asks the API server raises HostTrouble."""

    def __init__(self, server: Server, workload: SharedDeployment, request_s: float = LIMIT_S) -> None:
        self._server = server
        super().__init__(Api(server, request_s), workload.limit_s)
        self._workload = workload
        self._clients: dict[str, str] = {}
        """Pods by process ID, as their volumes had it."""

    def lacks(self, act: Act) -> str | None:
        if act.does is Does.RESTART:
            return (
                f"A pod that {self._shown} makes in place of another has another name, and its own process ID: restart it by hand,"
                " or give each client a Deployment of its own."
            )
        if act.does is Does.START and (act.client or act.host):
            return f"{self._shown} starts a pod under a name and a process ID of its own: {act.shown} cannot be started as such."
        try:
            found = self._look()
            done = _acts(found.deployment, self._shown)
            if act.does is Does.STOP and _key(act) not in done:
                self._pod_of(found, act)
        except HostTrouble as trouble:
            return str(trouble) if trouble.lasting else None  # what passes is waited for when the process is looked at
        return deployments.why_not(found.deployment, self._shown)

    def cannot_look(self, act: Act) -> str | None:
        return self.lacks(act)

    def process(self, act: Act) -> ClientProcess:
        found = self._look()
        if act.does is Does.START:
            return self._started(found, act)
        chosen = _acts(found.deployment, self._shown).get(_key(act))
        if chosen is None:
            return workloads.process_of(self._pod_of(found, act), self._workload.container)
        pod = next((one for one in found.pods if one.uid == chosen), None)
        if pod is None:
            return ClientProcess(ProcessState.STOPPED)
        return workloads.process_of(pod, self._workload.container) if found.is_settled else ClientProcess(ProcessState.CHANGING)

    def _started(self, found: Deployed, act: Act) -> ClientProcess:
        if _key(act) not in _acts(found.deployment, self._shown):
            return ClientProcess(ProcessState.STOPPED)
        processes = [workloads.process_of(pod, self._workload.container) for pod in found.pods]
        if found.is_settled and all(one.state is ProcessState.RUNNING for one in processes):
            return ClientProcess(ProcessState.RUNNING)
        return ClientProcess(ProcessState.CHANGING)

    def perform(self, does: Does, act: Act) -> str | None:
        failed = self._changed(does, act)
        if failed is not None:
            return failed
        if wait_for_act.shows(does, lambda: self.process(act), lambda _: True, self._workload.limit_s, lambda: _sleep(PAUSE_S)):
            return None
        if does is Does.STOP and self.process(act).state is ProcessState.RUNNING:
            return f"{self._shown} was scaled down by one, and Kubernetes has ended another pod than that of {act.shown}."
        return f"{self._shown} did not get there within {self._workload.limit_s:g} s; Kubernetes goes on with it."

    def _changed(self, does: Does, act: Act) -> str | None:
        """Why nothing was done. None: the Deployment is scaled for this act, now or before."""
        pod: Pod | None = None
        for _ in range(ATTEMPTS):
            found = self._settled()
            done = _acts(found.deployment, self._shown)
            why_not = deployments.why_not(found.deployment, self._shown)
            if _key(act) in done or why_not is not None:
                return why_not
            if does is Does.STOP:
                pod = self._pod_of(found, act)
                why_not = _unsure(found, pod, self._shown)
                if why_not is not None:
                    return why_not
                self._costs(pod, LOWEST_COST)
            kept = dict([*done.items(), (_key(act), "" if pod is None else pod.uid)][-_MOST_ACTS:])
            wanted = found.replicas + (1 if does is Does.START else -1)
            path = deployments.path_of(self._workload.namespace, self._workload.deployment)
            if patched(self._api, path, found.deployment, {"replicas": wanted}, {ACTS: json.dumps(kept, separators=(",", ":"))}):
                return None
        if pod is not None:
            self._costs(pod, None)  # it would be the first to end when others scale it down
        return f"{self._shown} was changed again and again by another; it was not scaled."

    def _costs(self, pod: Pod, cost: str | None) -> None:
        self._api.patch(pod.path, {"metadata": {"uid": pod.uid, "annotations": {DELETION_COST: cost}}})

    def _settled(self) -> Deployed:
        """Raise HostTrouble where another is changing it, and does not end soon."""
        ends_at = time.monotonic() + min(self._workload.limit_s, wait_for_act.HOLDS_S)
        while True:
            found = self._look()
            if found.is_settled:
                return found
            if time.monotonic() > ends_at:
                raise HostTrouble(f"{self._shown} does not come to rest; nothing was done", begun=False)
            _sleep(PAUSE_S)

    def _look(self) -> Deployed:
        return deployments.look(self._api, self._workload.namespace, self._workload.deployment)

    @property
    def _shown(self) -> str:
        return f"The Deployment {self._workload.deployment}"

    def _pod_of(self, found: Deployed, act: Act) -> Pod:
        """The pod of a client: by a name that both have, or whose volume holds its process ID. Raise HostTrouble, lasting, where
        there is none, or several."""
        named = {pod.name: pod for pod in found.pods}
        mine = next((named[name] for name in act.listed_as if name in named), None)
        if mine is None and self._workload.state_dir and act.client:
            if self._clients.get(act.client) not in named:
                self._clients = workloads.on_volumes(self._server, found.pods, self._workload.container, self._workload.state_dir)
            mine = named.get(self._clients.get(act.client, ""))
        if mine is None:
            raise workloads.unknown_pod(act, self._workload.deployment)
        return mine


def _unsure(found: Deployed, pod: Pod, shown: str) -> str | None:
    """Why Kubernetes might end another pod, in a sentence."""
    others = [(one, cost) for one, cost in zip(found.pods, found.costs, strict=True) if one.uid != pod.uid]
    first = next((one for one, _ in others if not one.node or one.phase != "Running" or not one.ready or one.goes), None)
    if first is not None:
        return f"{shown} is scaled down at the pod {first.name} first, which is not ready; nothing was done to {pod.name}."
    cheap = next((one for one, cost in others if cost == LOWEST_COST), None)
    if cheap is not None:
        return f"The pod {cheap.name} has the lowest deletion cost as well; remove that annotation. Nothing was done to {pod.name}."
    return None


def _key(act: Act) -> str:
    """Of this act of this plan, whatever its client is called."""
    told = f"{act.called}\0{act.does.value}\0{act.kept_as}"
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _acts(deployment: Document, shown: str) -> dict[str, str]:
    """What was done, by act. Raise HostTrouble, lasting, for an annotation that is not Holdfast's."""
    kept = text(deployment, "metadata", "annotations", ACTS)
    if not kept:
        return {}
    try:
        found = json.loads(kept) if len(kept) <= _LARGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise HostTrouble(f"{shown} has an annotation {ACTS} that Holdfast did not write: remove it", begun=False, lasting=True)
    return found
