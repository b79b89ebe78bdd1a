"""The least rights (RBAC) in a namespace: a Role to be granted, and which of it this user lacks, as the API server says."""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import Api, at, text
from holdfast.errors import HostTrouble

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True)
class RbacRule:
    """`group`: the API group, "" for the core; `resource`: with its subresource (`pods/exec`)."""

    group: str
    resource: str
    verbs: tuple[str, ...]


READS = (
    RbacRule("", "pods", ("get",)),
    RbacRule("", "pods/exec", ("get", "create")),  # over websockets up to 1.34 `get` is asked for, later `create` too
)
OF_A_STATEFUL_SET = (RbacRule("", "pods", ("list",)), RbacRule("apps", "statefulsets", ("get",)))
OF_A_DEPLOYMENT = (
    RbacRule("", "pods", ("list",)),
    RbacRule("apps", "deployments", ("get",)),
    RbacRule("apps", "replicasets", ("list",)),
)
STARTS_READERS = (
    RbacRule("", "pods", ("list", "create", "delete")),
    RbacRule("", "pods/ephemeralcontainers", ("patch",)),
    RbacRule("apps", "statefulsets", ("get",)),
)


_SCALES_OR_MOVES = (
    RbacRule("", "pods", ("get", "list")),
    RbacRule("", "pods/exec", ("get", "create")),  # the process ID on a volume shows which client a pod is
    RbacRule("apps", "statefulsets", ("get", "patch")),
)
ACTS = (RbacRule("", "pods", ("get", "list", "delete")), *_SCALES_OR_MOVES[1:])
ACTS_BY_ANNOTATION = _SCALES_OR_MOVES
ACTS_ON_DEPLOYMENTS = (
    RbacRule("", "pods", ("list",)),
    RbacRule("apps", "deployments", ("get", "patch")),
    RbacRule("apps", "replicasets", ("list",)),
)
"""Each of one pod, which is one client."""
ACTS_ON_A_SHARED_DEPLOYMENT = (
    RbacRule("", "pods", ("get", "list", "patch")),
    RbacRule("", "pods/exec", ("get", "create")),
    *ACTS_ON_DEPLOYMENTS[1:],
)
"""Whose pods are the clients: which one is ended is written to it."""


def reading(addresses: Iterable[Address], *, starts_readers: bool) -> tuple[RbacRule, ...]:
    """What reading these needs."""
    wanted = list(READS)
    for one in addresses:
        wanted += OF_A_STATEFUL_SET if one.stateful_set else OF_A_DEPLOYMENT if one.deployment else ()
    return merged([*wanted, *(STARTS_READERS if starts_readers else ())])


def acting(addresses: Iterable[Address]) -> tuple[tuple[str, str, tuple[RbacRule, ...]], ...]:
    """The Roles for acting on the workloads of these: the name of each, for which actor it is, its rules."""
    given = tuple(addresses)
    found: list[tuple[str, str, tuple[RbacRule, ...]]] = []
    if any(one.stateful_set for one in given):
        for by_annotation, shown in ((False, ""), (True, "with restart_by: annotation, ")):
            name, rules = on_a_stateful_set(by_annotation=by_annotation)
            found.append((name, shown, rules))
    if any(one.deployment for one in given):
        for of_one_pod, shown in ((True, "on Deployments of one pod, "), (False, "on the pods of one Deployment, ")):
            name, rules = on_deployments(of_one_pod=of_one_pod)
            found.append((name, shown, rules))
    return tuple(found)


def on_a_stateful_set(*, by_annotation: bool) -> tuple[str, tuple[RbacRule, ...]]:
    """The name of the Role for acting on its pods, and its rules."""
    return ("holdfast-act-by-annotation", ACTS_BY_ANNOTATION) if by_annotation else ("holdfast-act", ACTS)


def on_deployments(*, of_one_pod: bool) -> tuple[str, tuple[RbacRule, ...]]:
    """The same. `of_one_pod`: each client is one; else the clients are the pods of one."""
    if of_one_pod:
        return "holdfast-act-on-deployments", ACTS_ON_DEPLOYMENTS
    return "holdfast-act-on-a-deployment", ACTS_ON_A_SHARED_DEPLOYMENT


def merged(rules: Iterable[RbacRule]) -> tuple[RbacRule, ...]:
    """One rule a resource, in order."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for rule in rules:
        found.setdefault((rule.group, rule.resource), {}).update(dict.fromkeys(rule.verbs))
    return tuple(RbacRule(group, resource, tuple(verbs)) for (group, resource), verbs in sorted(found.items()))


def role(name: str, namespace: str, rules: tuple[RbacRule, ...]) -> str:
    """A Role as YAML. Names are Kubernetes' own, so that none needs quotes."""
    lines = ["apiVersion: rbac.authorization.k8s.io/v1", "kind: Role", "metadata:", f"  name: {name}", f"  namespace: {namespace}"]
    lines.append("rules:")
    for rule in rules:
        verbs = ", ".join(f'"{verb}"' for verb in rule.verbs)
        lines += [f'- apiGroups: ["{rule.group}"]', f'  resources: ["{rule.resource}"]', f"  verbs: [{verbs}]"]
    return "\n".join(lines)


def lacking(api: Api, namespace: str, rules: tuple[RbacRule, ...]) -> tuple[str, ...]:
    """What is not granted to this user, like `create pods/exec`. Raise HostTrouble where the server does not answer that."""
    return tuple(f"{verb} {rule.resource}" for rule in rules for verb in rule.verbs if not _allowed(api, namespace, rule, verb))


def _allowed(api: Api, namespace: str, rule: RbacRule, verb: str) -> bool:
    resource, _, part = rule.resource.partition("/")
    asked = {"namespace": namespace, "verb": verb, "group": rule.group, "resource": resource} | (
        {"subresource": part} if part else {}
    )
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked}}
    found = at(api.create(_REVIEWS, body), "status", "allowed")
    if not isinstance(found, bool):
        raise HostTrouble(f"{api.server.shown}: the API server does not say what is granted: {text(found, 'reason')}", begun=False)
    return found
