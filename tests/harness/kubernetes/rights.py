"""RBAC of the contract server: Roles and RoleBindings of a namespace, as a kube-apiserver applies them to its users."""

from tests.harness.kubernetes.store import Document, Refused, Store, shown

ADMIN = "admin"
_RBAC = "rbac.authorization.k8s.io/v1"
_VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}


def verb(method: str, name: str) -> str:
    """Kubernetes' word for a request."""
    return _VERBS.get(method) or ("get" if name else "list")


def check(store: Store, user: str, verb: str, resource: str, part: str, namespace: str, name: str) -> None:
    """Raise Refused (403) unless a Role that is bound to the user allows it."""
    if user == ADMIN:
        return
    group = "" if resource.startswith("v1/") else resource.split("/", maxsplit=1)[0]
    kind = resource.rsplit("/", maxsplit=1)[-1] + (f"/{part}" if part else "")
    for binding in store.listed(f"{_RBAC}/rolebindings", namespace):
        if not any(one["kind"] == "User" and one["name"] == user for one in binding.get("subjects", [])):
            continue
        role = store.get(f"{_RBAC}/roles", namespace, binding["roleRef"]["name"])
        for rule in role["rules"]:
            if not {group, "*"} & set(rule["apiGroups"]) or not {kind, "*"} & set(rule["resources"]):
                continue
            if {verb, "*"} & set(rule["verbs"]) and (not rule.get("resourceNames") or name in rule["resourceNames"]):
                return
    what = f'{shown(resource)} "{name}"' if name else shown(resource)
    of = f'in API group "{group}" in the namespace "{namespace}"'
    raise Refused(403, "Forbidden", f'{what} is forbidden: User "{user}" cannot {verb} resource "{kind}" {of}')


def review(store: Store, user: str, body: Document) -> Document:
    """A SelfSubjectAccessReview, answered."""
    asked = body["spec"]["resourceAttributes"]
    resource = f"{asked['group']}/v1/{asked['resource']}" if asked["group"] else f"v1/{asked['resource']}"
    try:
        check(store, user, asked["verb"], resource, asked.get("subresource", ""), asked["namespace"], "")
        return body | {"status": {"allowed": True}}
    except Refused as refused:
        return body | {"status": {"allowed": False, "reason": refused.message}}
