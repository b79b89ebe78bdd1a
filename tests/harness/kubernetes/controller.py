"""The StatefulSet controller and the kubelets of the test cluster, one look at a time: there are no others."""

import hashlib
import json

from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.hosts.kubernetes import pods
from holdfast.adapters.hosts.kubernetes.api import Document


def reconcile(cluster: Cluster, namespace: str, name: str) -> None:
    """What a deleted pod, another number of replicas, a changed template or a moved partition brings about."""
    api = cluster.api()
    path = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}"
    workload = api.get(path)
    newest = revision(workload)
    before = workload.get("status", {})
    current = before.get("currentRevision", newest)
    if before.get("updateRevision") != newest:
        status = {"replicas": workload["spec"]["replicas"], "currentRevision": current, "updateRevision": newest}
        api.patch(f"{path}/status", {"status": status})
    found = {pod.ordinal: pod for pod in pods.of_workload(api, namespace, workload, {workload["metadata"]["uid"]})}
    for pod in found.values():
        assert pod.ordinal is not None
        if pod.goes or pod.ordinal >= workload["spec"]["replicas"]:
            cluster.end(namespace, pod.name)
    strategy = workload["spec"].get("updateStrategy") or {}
    partition = (strategy.get("rollingUpdate") or {}).get("partition") or 0
    for ordinal in range(workload["spec"]["replicas"]):
        seen = found.get(ordinal)
        moves = strategy.get("type") != "OnDelete" and ordinal >= partition
        if seen is not None and not seen.goes and (seen.revision == newest or not moves):
            continue
        if seen is not None and not seen.goes:
            cluster.end(namespace, seen.name)
        label = newest if moves or strategy.get("type") == "OnDelete" else current
        cluster.pod(namespace, f"{name}-{ordinal}", owner=("StatefulSet", workload), labels={"controller-revision-hash": label})


def revision(workload: Document) -> str:
    """Of its template."""
    template = json.dumps(workload["spec"]["template"], sort_keys=True)
    return f"{workload['metadata']['name']}-{hashlib.sha1(template.encode()).hexdigest()[:10]}"
