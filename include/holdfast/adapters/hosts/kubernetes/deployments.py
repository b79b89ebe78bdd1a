"""A Deployment, its ReplicaSets and its pods at one moment, in the order of reading that makes a change conditional on all of it.

The Deployment is read first. Its controller writes to it before it makes a ReplicaSet for another template, so a change that is
made on the condition that the Deployment is as it was read finds no other pods than those that were seen.
"""

from dataclasses import dataclass

from holdfast.adapters.hosts.kubernetes import pods, workloads
from holdfast.adapters.hosts.kubernetes.api import Api, Document, at, number, text
from holdfast.adapters.hosts.kubernetes.pods import Pod

REVISION = "deployment.kubernetes.io/revision"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(frozen=True, slots=True)
class Deployed:
    """`pods`: those that have not ended."""

    deployment: Document
    pods: tuple[Pod, ...]
    costs: tuple[str, ...]
    """Of the pods, in their order: what their deletion costs, as they say it; "" where they do not."""
    is_settled: bool
    """Its controller has seen its last change, and only the ReplicaSet of its template has pods, as many as are wanted."""

    @property
    def replicas(self) -> int:
        return workloads.replicas(self.deployment)


def path_of(namespace: str, name: str) -> str:
    return f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"


def look(api: Api, namespace: str, name: str) -> Deployed:
    """Raise HostTrouble; Refusal (404) where there is no such Deployment."""
    deployment = api.get(path_of(namespace, name))
    mine = text(deployment, "metadata", "uid")
    asked = {"labelSelector": pods.selector(deployment)}
    sets = [one for one in api.listed(f"/apis/apps/v1/namespaces/{namespace}/replicasets", asked) if pods.is_owned_by(one, mine)]
    owners = {text(one, "metadata", "uid") for one in sets}
    documents = api.listed(f"/api/v1/namespaces/{namespace}/pods", asked)
    found = [
        (pod, text(document, "metadata", "annotations", DELETION_COST))
        for document in documents
        if (pod := pods.parsed(api, document, namespace)).owner is not None and pod.owner.uid in owners and not pod.has_ended
    ]
    wanted = [one for one in sets if number(one, "spec", "replicas")]
    return Deployed(
        deployment,
        tuple(pod for pod, _ in found),
        tuple(cost for _, cost in found),
        is_settled=_is_settled(deployment, wanted, [pod for pod, _ in found]),
    )


def _is_settled(deployment: Document, wanted: list[Document], found: list[Pod]) -> bool:
    count = workloads.replicas(deployment)
    if not workloads.is_observed(deployment) or len(found) != count:
        return False
    if not count:
        return not wanted
    if len(wanted) != 1 or workloads.replicas(wanted[0]) != count:
        return False
    revision = text(deployment, "metadata", "annotations", REVISION)
    newest = text(wanted[0], "metadata", "annotations", REVISION)
    uid = text(wanted[0], "metadata", "uid")
    return bool(revision) and newest == revision and all(pod.owner is not None and pod.owner.uid == uid for pod in found)


def why_not(deployment: Document, shown: str) -> str | None:
    """Why nothing is done to it, in a sentence."""
    if at(deployment, "spec", "paused") is True:
        return f"{shown} is paused: resume it (kubectl rollout resume)."
    if text(deployment, "metadata", "deletionTimestamp"):
        return f"{shown} is being deleted."
    return None
