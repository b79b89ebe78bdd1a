"""Addresses of state directories in pods: `kubernetes://CLUSTER/NAMESPACE/POD/CONTAINER/PATH`.

`CLUSTER` is an Airflow connection or a context of the kubeconfig, and may be empty: the cluster that this process runs in, or the
kubeconfig's current context. `POD` is a pod's name, `NAME-{ordinal}` for all pods of the StatefulSet `NAME`, or
`deployment:NAME` for all pods of a Deployment. In `PATH`, `{ordinal}` and `{pod}` stand for the ordinal and the name of the pod.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from holdfast.errors import InvalidInput

SCHEME = "kubernetes://"
ORDINAL, POD = "{ordinal}", "{pod}"
OF_DEPLOYMENT = "deployment:"
_FORM = "kubernetes://CLUSTER/NAMESPACE/POD/CONTAINER/PATH is needed"
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
"""RFC 1123: namespaces and containers."""
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""RFC 1123: pods and workloads."""
_LONGEST_NAME = 253
_LONGEST = 4_096
_WITH_ORDINAL = re.compile(r"(.+)-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Address:
    """`pod`: a name, or one of the two forms that stand for several pods. `path` is absolute."""

    cluster: str
    namespace: str
    pod: str
    container: str
    path: str

    @property
    def stateful_set(self) -> str | None:
        """Whose pods are meant, where it is a template."""
        return self.pod.removesuffix(f"-{ORDINAL}") if self.pod.endswith(f"-{ORDINAL}") else None

    @property
    def deployment(self) -> str | None:
        return self.pod.removeprefix(OF_DEPLOYMENT) if self.pod.startswith(OF_DEPLOYMENT) else None

    @property
    def depends_on_pod(self) -> bool:
        """Whether the path is another one in each pod."""
        return POD in self.path or ORDINAL in self.path

    @property
    def is_one(self) -> bool:
        """Whether it is one pod's; else `of` makes it one."""
        return self.stateful_set is None and self.deployment is None

    def of(self, pod: str) -> "Address":
        """The address in this pod."""
        ordinal = ordinal_of(pod)
        path = self.path.replace(POD, pod)
        if ORDINAL in path:
            if ordinal is None:
                raise InvalidInput(f"{self}: the pod {pod!r} has no ordinal, and {ORDINAL} in the path stands for one")
            path = path.replace(ORDINAL, str(ordinal))
        return replace(self, pod=pod, path=path)

    def __str__(self) -> str:
        cluster, path = quote(self.cluster, safe="@:"), quote(self.path, safe="/{}", errors="surrogateescape")
        return f"{SCHEME}{cluster}/{self.namespace}/{self.pod}/{self.container}{path}"


def is_address(url: str) -> bool:
    return url.startswith(SCHEME)


def ordinal_of(pod: str) -> int | None:
    """The ordinal in the name of a StatefulSet's pod; None where it is the name of none."""
    found = _WITH_ORDINAL.fullmatch(pod)
    return int(found[2]) if found and str(int(found[2])) == found[2] else None


def parse(url: str) -> Address:
    """The address in a URL. Raise InvalidInput for what no cluster can have: nothing reaches a request or a shell unchecked."""
    if not is_address(url) or len(url) > _LONGEST:
        raise InvalidInput(f"{url[:200]!r} is no address of a pod: {_FORM}")
    parts = url.removeprefix(SCHEME).split("/", 4)
    if len(parts) != 5 or not parts[4].strip("/"):
        raise InvalidInput(f"{url!r}: {_FORM}; PATH is <state.dir>/<application.id> in that container")
    cluster, namespace, pod, container, path = (unquote(part, errors="surrogateescape") for part in parts)
    address = Address(cluster, namespace, pod, container, f"/{path.strip('/')}")
    _refuse_unless(_is_label(namespace), url, "namespace", namespace)
    _refuse_unless(_is_label(container), url, "container", container)
    _refuse_unless(is_name(address.stateful_set or address.deployment or pod), url, "pod", pod)
    if any(ord(character) < 32 or ord(character) == 127 for character in f"{cluster}{path}"):
        raise InvalidInput(f"{url!r}: control characters are in no cluster's name and in no path of a state directory")
    if ".." in path.split("/"):
        raise InvalidInput(f"{url!r}: the path leads upwards (`..`); give the path that it leads to")
    return address.of(pod) if address.is_one else address


def is_name(name: str) -> bool:
    """Whether a pod or a workload can be called so."""
    return len(name) <= _LONGEST_NAME and _SUBDOMAIN.fullmatch(name) is not None


def _is_label(name: str) -> bool:
    return _LABEL.fullmatch(name) is not None


def _refuse_unless(valid: bool, url: str, what: str, name: str) -> None:
    if not valid:
        raise InvalidInput(f"{url!r}: {name!r} is no name of a {what} in Kubernetes (RFC 1123: a-z, 0-9, -). {_FORM}")
