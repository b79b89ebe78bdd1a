"""The objects of the contract server: what a kube-apiserver keeps in etcd, with its versions, preconditions and patches."""

import copy
import threading
import uuid
from typing import Any

Document = dict[str, Any]
Key = tuple[str, str, str]
"""Resource (`apps/v1/statefulsets`), namespace ("" for none), name."""
_WITH_GENERATION = ("statefulsets", "deployments", "replicasets", "pods")
_STATUS_ONLY = ("status",)


class Refused(Exception):
    """HTTP status, Kubernetes' reason, and its message."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        self.status, self.reason, self.message = status, reason, message
        super().__init__(message)

    def document(self) -> Document:
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.status,
        }


def shown(resource: str) -> str:
    """As messages name it: `statefulsets.apps`."""
    group, _, rest = resource.partition("/")
    return resource.rsplit("/", maxsplit=1)[-1] if not rest or group == "v1" else f"{resource.rsplit('/', maxsplit=1)[-1]}.{group}"


class Store:
    def __init__(self) -> None:
        self._only_one = threading.RLock()
        self._objects: dict[Key, Document] = {}
        self._version = 100

    @property
    def version(self) -> int:
        """Another one after every change."""
        return self._version

    def _next(self) -> str:
        self._version += 1
        return str(self._version)

    def create(self, resource: str, namespace: str, body: Document) -> Document:
        with self._only_one:
            created = copy.deepcopy(body)
            meta = created.setdefault("metadata", {})
            name = meta.get("name") or f"{meta['generateName']}{uuid.uuid4().hex[:5]}"
            if (resource, namespace, name) in self._objects:
                raise Refused(409, "AlreadyExists", f'{shown(resource)} "{name}" already exists')
            kept = {"name": name, "uid": str(uuid.uuid4()), "resourceVersion": self._next()}
            meta.update(kept, creationTimestamp="2026-01-01T00:00:00Z", **({"namespace": namespace} if namespace else {}))
            if resource.rsplit("/", maxsplit=1)[-1] in _WITH_GENERATION:
                meta["generation"] = 1
                created["status"] = {"phase": "Pending"} if resource.endswith("/pods") else {}
            self._objects[resource, namespace, name] = created
            return copy.deepcopy(created)

    def get(self, resource: str, namespace: str, name: str) -> Document:
        with self._only_one:
            found = self._objects.get((resource, namespace, name))
            if found is None:
                raise Refused(404, "NotFound", f'{shown(resource)} "{name}" not found')
            return copy.deepcopy(found)

    def listed(self, resource: str, namespace: str) -> list[Document]:
        with self._only_one:
            return [
                copy.deepcopy(one)
                for (kind, where, _), one in sorted(self._objects.items())
                if kind == resource and namespace in ("", where)
            ]

    def patch(self, resource: str, namespace: str, name: str, body: Document, part: str, *, strategic: bool) -> Document:
        with self._only_one:
            before = self.get(resource, namespace, name)
            _check(shown(resource), before, body.get("metadata", {}).get("uid"), body.get("metadata", {}).get("resourceVersion"))
            after = merged(before, body, strategic=strategic)
            for field in ("uid", "name", "generation", "resourceVersion", "creationTimestamp"):
                if field in before["metadata"]:
                    after["metadata"][field] = before["metadata"][field]
            if part in _STATUS_ONLY:
                after["spec"] = before.get("spec")
            elif resource.rsplit("/", maxsplit=1)[-1] in _WITH_GENERATION:
                after["status"] = before.get("status")
            if after == before:
                return before
            if after.get("spec") != before.get("spec") and "generation" in after["metadata"]:
                after["metadata"]["generation"] += 1
            after["metadata"]["resourceVersion"] = self._next()
            self._objects[resource, namespace, name] = after
            return copy.deepcopy(after)

    def delete(self, resource: str, namespace: str, name: str, options: Document) -> Document:
        with self._only_one:
            found = self.get(resource, namespace, name)
            wanted = options.get("preconditions") or {}
            _check(shown(resource), found, wanted.get("uid"), wanted.get("resourceVersion"))
            waits = resource.endswith("/pods") and found.get("spec", {}).get("nodeName") and options.get("gracePeriodSeconds") != 0
            if not waits or found.get("status", {}).get("phase") in ("Succeeded", "Failed"):
                del self._objects[resource, namespace, name]
                return found
            if "deletionTimestamp" not in found["metadata"]:
                found["metadata"].update(deletionTimestamp="2026-01-01T00:00:30Z", resourceVersion=self._next())
                self._objects[resource, namespace, name] = found
            return copy.deepcopy(found)


def _check(what: str, found: Document, uid: str | None, version: str | None) -> None:
    meta = found["metadata"]
    about = f'Operation cannot be fulfilled on {what} "{meta["name"]}"'
    if uid is not None and uid != meta["uid"]:
        raise Refused(
            409,
            "Conflict",
            f"{about}: Precondition failed: UID in precondition: {uid}, UID in object meta: {meta['uid']}",
        )
    if version is not None and version != meta["resourceVersion"]:
        raise Refused(
            409,
            "Conflict",
            f"{about}: the object has been modified; please apply your changes to the latest version and try again",
        )


def merged(before: Any, patch: Any, *, strategic: bool) -> Any:
    """RFC 7386; a strategic patch merges lists of objects by their names."""
    if isinstance(before, dict) and isinstance(patch, dict):
        after = dict(before)
        for key, value in patch.items():
            if value is None:
                after.pop(key, None)
            else:
                after[key] = merged(before.get(key), value, strategic=strategic)
        return after
    if isinstance(patch, dict):
        return merged({}, patch, strategic=strategic)
    if (
        strategic
        and isinstance(patch, list)
        and isinstance(before, list)
        and all(isinstance(one, dict) for one in (*before, *patch))
    ):
        named = {one.get("name"): one for one in before}
        for one in patch:
            named[one.get("name")] = merged(named.get(one.get("name")), one, strategic=True)
        return list(named.values())
    return copy.deepcopy(patch)


def selected(document: Document, selector: str) -> bool:
    """Labels against `key=value`, `key`, `!key`, `key in (a,b)`."""
    labels = document.get("metadata", {}).get("labels") or {}
    terms, depth, term = [], 0, ""
    for character in [*selector, ","]:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            terms.append(term.strip())
            term = ""
        else:
            term += character
    return all(_holds(labels, each) for each in terms if each)


def _holds(labels: dict[str, str], term: str) -> bool:
    for word, wanted in ((" notin ", False), (" in ", True)):
        if word in term:
            key, _, values = term.partition(word)
            return (labels.get(key) in values.strip("() ").split(",")) is wanted
    if "=" in term:
        key, _, value = term.partition("=")
        return labels.get(key) == value.lstrip("=")
    return term[1:] not in labels if term.startswith("!") else term in labels
