"""The controllers of workloads and the kubelets of the test cluster, one look at a time.

Where the cluster has Kubernetes' own controllers (`bin/test-kubernetes`), only the scheduler and the kubelets are played: what is
played of the controllers otherwise is held to them by the same tests.
"""

import hashlib
import json
import time

from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.hosts.kubernetes import deployments, pods
from holdfast.adapters.hosts.kubernetes.api import Api, ApiRefusal, Document
from holdfast.adapters.hosts.kubernetes.deployments import DELETION_COST, REVISION

_REST_S = 120.0


def settle(cluster: Cluster, namespace: str) -> None:
    """All that the workloads of a namespace ask for happens."""
    ends_at = time.monotonic() + _REST_S
    while not step(cluster, namespace):
        assert time.monotonic() < ends_at, f"{namespace} does not come to rest"
        if cluster.has_controllers:
            time.sleep(0.02)


def step(cluster: Cluster, namespace: str) -> bool:
    """A bit of it happens. Whether nothing was left to be done."""
    api, base = cluster.api(), f"/apis/apps/v1/namespaces/{namespace}"
    sets, deployed = api.listed(f"{base}/statefulsets"), api.listed(f"{base}/deployments")
    if cluster.has_controllers:
        pods_run = _kubelets(cluster, namespace)
        rest = [*(_rests(api, namespace, one) for one in sets), *(_deployed(api, namespace, one) for one in deployed)]
        return pods_run and all(rest)
    before = _version(cluster, namespace)
    for one in sets:
        reconcile(cluster, namespace, one["metadata"]["name"])
    for one in deployed:
        reconcile_deployment(cluster, namespace, one["metadata"]["name"])
    return before == _version(cluster, namespace)


def _version(cluster: Cluster, namespace: str) -> object:
    """Another one after every change in the namespace."""
    if cluster.contract is not None:
        return cluster.contract.store.version
    found = [f"/apis/apps/v1/namespaces/{namespace}/{kind}" for kind in ("statefulsets", "deployments", "replicasets")]
    found.append(f"/api/v1/namespaces/{namespace}/pods")
    return [
        f"{one['metadata']['uid']} {one['metadata']['resourceVersion']}" for path in found for one in cluster.api().listed(path)
    ]


def _kubelets(cluster: Cluster, namespace: str) -> bool:
    """The scheduler too. Whether each pod runs."""
    rests = True
    for document in cluster.api().listed(f"/api/v1/namespaces/{namespace}/pods"):
        name, runs = document["metadata"]["name"], document.get("status", {}).get("containerStatuses")
        going, placed = "deletionTimestamp" in document["metadata"], document["spec"].get("nodeName")
        if runs and placed and not going:
            continue
        rests = False
        try:
            if going:
                cluster.end(namespace, name)
            elif placed:
                cluster.runs(namespace, name, "containerStatuses", [one["name"] for one in document["spec"]["containers"]])
            else:
                cluster.schedule(namespace, name)
        except ApiRefusal as refusal:
            if refusal.status not in (404, 409):  # its controller has changed it meanwhile
                raise
    return rests


def _rests(api: Api, namespace: str, workload: Document) -> bool:
    status = workload.get("status", {})
    found = pods.of_workload(api, namespace, workload, {workload["metadata"]["uid"]})
    if status.get("observedGeneration") != workload["metadata"]["generation"] or len(found) != workload["spec"]["replicas"]:
        return False
    first, partition = _first(workload), _partition(workload)
    moved = [pod for pod in found if pod.ordinal is not None and pod.ordinal - first >= partition]
    is_complete = status.get("currentRevision") == status["updateRevision"] or partition > 0 or _is_on_delete(workload)
    return _is_on_delete(workload) or (is_complete and all(pod.revision == status["updateRevision"] for pod in moved))


def _deployed(api: Api, namespace: str, workload: Document) -> bool:
    status = deployments.look(api, namespace, workload["metadata"]["name"])
    return status.is_settled and all(pod.ready for pod in status.pods)


# StatefulSets.


def reconcile(cluster: Cluster, namespace: str, name: str) -> None:
    """What a deleted pod, another number of replicas, a changed template or a moved partition brings about."""
    if cluster.has_controllers:
        settle(cluster, namespace)
        return
    api = cluster.api()
    path = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}"
    workload = api.get(path)
    newest = revision(workload)
    before = workload.get("status", {})
    current, first, replicas = before.get("currentRevision", newest), _first(workload), workload["spec"]["replicas"]
    owners = {workload["metadata"]["uid"]}
    found = {pod.ordinal: pod for pod in pods.of_workload(api, namespace, workload, owners)}
    for pod in found.values():
        assert pod.ordinal is not None
        if pod.goes or not first <= pod.ordinal < first + replicas:
            cluster.end(namespace, pod.name)
    for index in range(replicas):
        seen, ordinal = found.get(first + index), first + index
        moves = not _is_on_delete(workload) and index >= _partition(workload)
        if seen is not None and not seen.goes and (seen.revision == newest or not moves):
            continue
        if seen is not None and not seen.goes:
            cluster.end(namespace, seen.name)
        label = newest if moves or _is_on_delete(workload) else current
        labels, spec = {"controller-revision-hash": label}, workload["spec"]["template"]["spec"]
        cluster.pod(namespace, f"{name}-{ordinal}", owner=("StatefulSet", workload), labels=labels, spec=spec)
    now = pods.of_workload(api, namespace, workload, owners)
    if not _is_on_delete(workload) and all(pod.revision == newest for pod in now):
        current = newest
    status = {"replicas": replicas, "currentRevision": current, "updateRevision": newest}
    api.patch(f"{path}/status", {"status": status | {"observedGeneration": workload["metadata"]["generation"]}})


def _first(workload: Document) -> int:
    return int((workload["spec"].get("ordinals") or {}).get("start", 0))


def _partition(workload: Document) -> int:
    """Counted from its first pod on."""
    strategy = workload["spec"].get("updateStrategy") or {}
    return int((strategy.get("rollingUpdate") or {}).get("partition") or 0)


def _is_on_delete(workload: Document) -> bool:
    return bool((workload["spec"].get("updateStrategy") or {}).get("type") == "OnDelete")


def revision(workload: Document) -> str:
    """Of its template."""
    template = json.dumps(workload["spec"]["template"], sort_keys=True)
    return f"{workload['metadata']['name']}-{hashlib.sha1(template.encode()).hexdigest()[:10]}"


# Deployments.


def reconcile_deployment(cluster: Cluster, namespace: str, name: str) -> None:
    """One stage: ReplicaSets of templates of before are scaled down, their pods end, the ReplicaSet of the template is made or
    scaled, its pods are made or end."""
    api = cluster.api()
    deployment = api.get(deployments.path_of(namespace, name))
    base = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    sets = [one for one in api.listed(base) if pods.is_owned_by(one, deployment["metadata"]["uid"])]
    wanted = revision(deployment)
    newest = next((one for one in sets if one["metadata"]["name"] == wanted), None)
    old = [one for one in sets if one is not newest]
    scaled = [one for one in old if one["spec"]["replicas"]]
    for one in scaled:
        api.patch(f"{base}/{one['metadata']['name']}", {"spec": {"replicas": 0}})
    ended = [_ended(cluster, namespace, one) for one in old]
    if not scaled and not any(ended):
        number = str(max((int(one["metadata"]["annotations"][REVISION]) for one in sets), default=0) + (newest is None))
        replicas = deployment["spec"]["replicas"]
        if newest is None:
            newest = cluster.replica_set(namespace, wanted, deployment, replicas=replicas, annotations={REVISION: number})
            api.patch(deployments.path_of(namespace, name), {"metadata": {"annotations": {REVISION: number}}})
        elif newest["spec"]["replicas"] != replicas:
            newest = api.patch(f"{base}/{wanted}", {"spec": {"replicas": replicas}})
        else:
            _as_many(cluster, namespace, newest)
    now = [pod for one in sets for pod in _pods_of(cluster, namespace, one)]
    status = {"observedGeneration": deployment["metadata"]["generation"], "replicas": len(now), "readyReplicas": len(now)}
    api.patch(f"{deployments.path_of(namespace, name)}/status", {"status": status})


def _pods_of(cluster: Cluster, namespace: str, replica_set: Document) -> list[Document]:
    found = cluster.api().listed(f"/api/v1/namespaces/{namespace}/pods")
    return [one for one in found if pods.is_owned_by(one, replica_set["metadata"]["uid"])]


def _ended(cluster: Cluster, namespace: str, replica_set: Document) -> bool:
    """Whether pods of a ReplicaSet of before were there; they end."""
    found = _pods_of(cluster, namespace, replica_set)
    for one in found:
        cluster.end(namespace, one["metadata"]["name"])
    return bool(found)


def _as_many(cluster: Cluster, namespace: str, replica_set: Document) -> None:
    found = _pods_of(cluster, namespace, replica_set)
    for one in [one for one in found if "deletionTimestamp" in one["metadata"]]:
        cluster.end(namespace, one["metadata"]["name"])
        found.remove(one)
    wanted = replica_set["spec"]["replicas"]
    for one in sorted(found, key=_ends_first)[: max(0, len(found) - wanted)]:
        cluster.end(namespace, one["metadata"]["name"])
    for _ in range(wanted - len(found)):
        name = f"{replica_set['metadata']['name']}-{cluster.another()}"
        template = replica_set["spec"]["template"]
        cluster.pod(
            namespace, name, owner=("ReplicaSet", replica_set), labels=template["metadata"]["labels"], spec=template["spec"]
        )


def _ends_first(pod: Document) -> tuple[bool, bool, bool, int, str]:
    """The order in which a ReplicaSet ends pods: first those without a node, not running, not ready, of lower cost."""
    conditions = pod["status"].get("conditions", [])
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    cost = int(pod["metadata"].get("annotations", {}).get(DELETION_COST, 0))
    return "nodeName" in pod["spec"], pod["status"]["phase"] == "Running", ready, cost, pod["metadata"]["uid"]
