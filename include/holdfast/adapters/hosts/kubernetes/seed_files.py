"""The process IDs of a plan as GitOps wants them: a ConfigMap by ordinal, and a patch that adds an init container.

The init container seeds a claim or an emptyDir before the application starts, and does nothing in pods for which the plan has no
process ID. The patch sets `OnDelete`, so that applying it restarts nothing: a pod takes it when it is made anew.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.adapters.hosts.kubernetes import address
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import Api, Document, at, number, objects, text
from holdfast.adapters.hosts.kubernetes.readers import mount_of, template_of
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata

CONFIG_MAP, PATCH = "seed-configmap.yaml", "seed-patch.yaml"
SCRIPT = """\
# Gives this pod the process ID that the plan has for it, before the application starts.
set -eu
seed=/holdfast/${POD_NAME##*-}
[ -f "$seed" ] || exit 0
file=$STATE_DIR/kafka-streams-process-metadata
next=$STATE_DIR/.holdfast-seed
refuse() { echo "holdfast-seed: $1. Nothing was written." >&2; exit 1; }
mkdir -p "$STATE_DIR"
for path in "$STATE_DIR" "$file"; do [ ! -L "$path" ] || refuse "$path is a link"; done
[ ! -e "$file" ] || [ -f "$file" ] || refuse "$file is no file"
if [ -f "$file" ]; then
  ! grep -qF "\\"$(cat "$seed")\\"" "$file" || exit 0
  [ -f "$seed.replaces" ] && grep -qF "\\"$(cat "$seed.replaces")\\"" "$file" || refuse "$file holds another process ID"
fi
rm -f "$next"
(set -C; printf '{"processId":"%s"}' "$(cat "$seed")" > "$next")
sync
if [ -f "$file" ]; then mv -f "$next" "$file"; else ln "$next" "$file"; rm -f "$next"; fi
sync
"""


@dataclass(frozen=True, slots=True)
class Seed:
    """`replaces`: the ID that may be there; None: no other."""

    process_id: ProcessId
    replaces: ProcessId | None


def by_ordinal(
    writes: Iterable[WriteProcessMetadata], known: Mapping[ProcessId, str], where: Address, workload: Document
) -> dict[int, Seed]:
    """Which pod gets which process ID. `known`: the URLs of directories by the process IDs that they hold.

    The pod is the step's host, or has the volume that is replaced; a new client without a host is the next pod that scaling adds.
    Raise InvalidInput where a step's pod is unclear.
    """
    replicas = number(workload, "spec", "replicas")
    free = (number(workload, "spec", "ordinals", "start") or 0) + (1 if replicas is None else replicas)
    found: dict[int, Seed] = {}
    for write in writes:
        before = write.replaces or write.source
        named = _ordinal(_pod(known.get(write.process_id, "")), where)  # it is there already
        if named is None:
            named = _ordinal((write.host or "").removeprefix("/"), where)
        if named is None and before is not None and before in known:
            named = _ordinal(_pod(known[before]), where)
        if named is None and before is None and write.host is None:
            named, free = free, free + 1
        if named is None:
            raise InvalidInput(
                f"the pod that gets the process ID {write.process_id} is unclear: name it as the client's host"
                f" ({where.stateful_set}-N)"
            )
        if named in found:
            raise InvalidInput(
                f"{where.stateful_set}-{named} would get two process IDs: {found[named].process_id} and {write.process_id}"
            )
        found[named] = Seed(write.process_id, write.replaces)
    return found


def _ordinal(pod: str, where: Address) -> int | None:
    return address.ordinal_of(pod) if pod.rpartition("-")[0] == where.stateful_set else None


def _pod(url: str) -> str:
    try:
        return address.parse(url).pod if address.is_address(url) else ""
    except InvalidInput:
        return ""


def workload_of(api: Api, where: Address) -> Document:
    if where.stateful_set is None:
        raise InvalidInput(f"{where}: {address.ORDINAL} is needed: only a StatefulSet's pods keep their names")
    return api.get(f"/apis/apps/v1/namespaces/{where.namespace}/statefulsets/{where.stateful_set}")


def files(api: Api, where: Address, workload: Document, seeds: Mapping[int, Seed], image: str) -> dict[str, str]:
    """Both files, by name. `image`: with sh and coreutils or busybox; "": the application's own.

    Raise InvalidInput where the directory depends on the pod's name, or is on no volume that an init container can mount.
    """
    if address.POD in where.path or address.ORDINAL in where.path:
        raise InvalidInput(f"{where}: the directory depends on the pod; give seeds with `holdfast seed` there")
    name = f"{where.stateful_set}-holdfast-seed"
    like = template_of(api, where, workload)
    container = like.container(where.container)
    if container is None:
        raise InvalidInput(f"{where}: the StatefulSet has no container {where.container}")
    mount = mount_of(container, where, str(where))
    own = next(one for one in objects(workload, "spec", "template", "spec", "containers") if text(one, "name") == container.name)
    data: dict[str, str] = {}
    for ordinal, seed in sorted(seeds.items()):
        data[str(ordinal)] = str(seed.process_id)
        if seed.replaces is not None:
            data[f"{ordinal}.replaces"] = str(seed.replaces)
    mounted = {"name": mount.volume, "mountPath": mount.path} | ({"subPath": mount.sub_path} if mount.sub_path else {})
    init: Document = {
        "name": "holdfast-seed",
        "image": image or text(own, "image"),
        "command": ["sh", "/holdfast/seed.sh"],
        "env": [
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "STATE_DIR", "value": where.path},
        ],
        "volumeMounts": [mounted, {"name": "holdfast-seed", "mountPath": "/holdfast", "readOnly": True}],
    }
    rights = at(own, "securityContext")
    if isinstance(rights, dict):
        init["securityContext"] = rights
    volume = {"name": "holdfast-seed", "configMap": {"name": name}}
    patch = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": where.stateful_set, "namespace": where.namespace},
        "spec": {
            "updateStrategy": {"type": "OnDelete", "rollingUpdate": None},
            "template": {"spec": {"initContainers": [init], "volumes": [volume]}},
        },
    }
    return {CONFIG_MAP: _config_map(name, where.namespace, data), PATCH: _yaml(patch)}


def _config_map(name: str, namespace: str, data: Mapping[str, str]) -> str:
    head = _yaml({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}})
    values = "".join(f"  {json.dumps(key)}: {json.dumps(value)}\n" for key, value in data.items())
    script = "".join(f"    {line}\n" for line in SCRIPT.splitlines())
    return f"{head}data:\n{values}  seed.sh: |\n{script}"


def _yaml(value: Document, depth: int = 0) -> str:
    """Objects as lines; all that is below `spec.template.spec`, and every list, as JSON, which YAML contains."""
    lines = []
    for key, below in value.items():
        if isinstance(below, dict) and below and depth < 3:
            lines.append(f"{'  ' * depth}{key}:\n{_yaml(below, depth + 1)}")
        elif isinstance(below, list) and below:
            items = "".join(f"{'  ' * depth}- {json.dumps(one)}\n" for one in below)
            lines.append(f"{'  ' * depth}{key}:\n{items}")
        else:
            lines.append(f"{'  ' * depth}{key}: {json.dumps(below)}\n")
    return "".join(lines)
