"""What acts on the clients of a group that are Deployments, each of one pod: restarts, stops and starts them one at a time.

- Restart: the template gets another time, as `kubectl rollout restart` does it. With the strategy `Recreate` the pod has ended
  before the next one is made; with any other both would run at once, on one state directory: that is refused.
- Stop and start: the Deployment is scaled to 0 and to 1.

The next pod has another name and UID, and the same claim. Each change is conditional on the Deployment as it was read, before its
pod was looked at: one that is repeated after a crash is not done twice.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.adapters.hosts import wait_for_act
from holdfast.adapters.hosts.kubernetes import address, deployments, workloads
from holdfast.adapters.hosts.kubernetes.api import LIMIT_S, Api, Document, text
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.deployments import Deployed
from holdfast.adapters.hosts.kubernetes.pod_actor import NamedPodActor
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.adapters.hosts.kubernetes.workloads import ATTEMPTS, PAUSE_S, patched
from holdfast.adapters.hosts.process_commands import PLACE, filled
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.text.format import listed, printable

_sleep = time.sleep


@dataclass(frozen=True, slots=True)
class OnePodDeployments:
    """`deployment`: the name of each, with places. `clients`: values for them, by what a client is called.

    `state_dir`: the path of `<state.dir>/<application.id>` in the container.
    """

    namespace: str
    deployment: str
    container: str
    state_dir: str | None
    clients: Mapping[str, Mapping[str, str]]
    limit_s: float = 300.0
    """How long one act may take, until the pod has ended or another one runs."""


class DeploymentActor(NamedPodActor):
    """The port `Actor`. Every method that asks the API server raises HostTrouble."""

    def __init__(self, server: Server, workload: OnePodDeployments, request_s: float = LIMIT_S) -> None:
        super().__init__(Api(server, request_s), workload.limit_s)
        self._workload = workload
        self._seen: dict[str, Pod] = {}
        """By Deployment: the pod that was last looked at. Only that one is replaced."""

    def lacks(self, act: Act) -> str | None:
        try:
            name = self._named(act)
            found = self._look(name)
        except HostTrouble as trouble:
            return str(trouble) if trouble.lasting else None  # what passes is waited for when the process is looked at
        if act.does is not Does.RESTART:
            return deployments.why_not(found.deployment, _shown(name))
        if text(found.deployment, "spec", "strategy", "type") != "Recreate":
            return f"{_shown(name)} starts a pod before the one of before has ended: give it the strategy Recreate."
        container, state_dir = self._workload.container, self._workload.state_dir
        lost = (workloads.lost_with(pod, container, state_dir, keeps_name=False) for pod in found.pods)
        return next((one for one in lost if one is not None), deployments.why_not(found.deployment, _shown(name)))

    def process(self, act: Act) -> ClientProcess:
        name = self._named(act)
        return self._process(self._look(name), name)

    def perform(self, does: Does, act: Act) -> str | None:
        name = self._named(act)
        before = self._seen.get(name)
        if does is Does.RESTART and before is None:
            return f"The pod of {_shown(name)} does not run: it was not restarted."
        failed = self._changed(does, name, before)
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
        return (
            f"The pod of {_shown(name)} was not {does.goal.value} within {self._workload.limit_s:g} s; Kubernetes goes on with it."
        )

    def _changed(self, does: Does, name: str, before: Pod | None) -> str | None:
        """Why nothing was done. None: the Deployment is changed, now or before."""
        for _ in range(ATTEMPTS):
            found = self._look(name)
            why_not = deployments.why_not(found.deployment, _shown(name))
            if why_not is not None:
                return why_not
            change = self._restart(found, name, before) if does is Does.RESTART else _scale(found, 1 if does is Does.START else 0)
            if change is None or patched(self._api, self._path(name), found.deployment, change):
                return None
        return f"{_shown(name)} was changed again and again by another; nothing was done to it."

    def _restart(self, found: Deployed, name: str, before: Pod | None) -> Document | None:
        """None: its pod is being replaced, or is another one by now."""
        now = self._process(found, name)
        if now.state is not ProcessState.RUNNING or not workloads.is_same(found.pods[0], before):
            return None
        return {"template": workloads.restarted(found.deployment)}

    def _process(self, found: Deployed, name: str) -> ClientProcess:
        if not found.is_settled:
            return ClientProcess(ProcessState.CHANGING)
        if not found.pods:
            return ClientProcess(ProcessState.STOPPED)
        process = workloads.process_of(found.pods[0], self._workload.container)
        if process.state is ProcessState.RUNNING:
            self._seen[name] = found.pods[0]
        return process

    def _look(self, name: str) -> Deployed:
        found = deployments.look(self._api, self._workload.namespace, name)
        if found.replicas > 1:
            raise HostTrouble(
                f"{_shown(name)} has {found.replicas} replicas, and one is needed: its name has places, so each client is a"
                " Deployment of its own",
                begun=False,
                lasting=True,
            )
        return found

    def _path(self, name: str) -> str:
        return deployments.path_of(self._workload.namespace, name)

    def _named(self, act: Act) -> str:
        """The Deployment of a client. Raise HostTrouble, lasting, where the file of the admin does not name it."""
        values = next((self._workload.clients[name] for name in act.listed_as if name in self._workload.clients), {})
        missing = sorted({place for place in PLACE.findall(self._workload.deployment) if place not in values})
        if missing:
            raise HostTrouble(
                f"the Deployment of {printable(act.shown, 200)} needs {listed(missing)}, which is not given (`clients`)",
                begun=False,
                lasting=True,
            )
        name = filled(self._workload.deployment, values)
        if not address.is_name(name):
            raise HostTrouble(f"{printable(name, 100)} is no name of a Deployment (`clients`)", begun=False, lasting=True)
        return name


def _scale(found: Deployed, wanted: int) -> Document | None:
    return None if found.replicas == wanted else {"replicas": wanted}


def _shown(name: str) -> str:
    return f"The Deployment {name}"
