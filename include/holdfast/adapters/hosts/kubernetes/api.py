"""A client of a cluster's API server: few requests, each bounded in time and size, with answers as plain JSON.

The official library loads the configuration (kubeconfig, certificates, helpers that issue tokens) and makes the connections. Its
models are not used: they read answers of any size, and refuse values that a newer server adds.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble, HostTrouble
from holdfast.rollout.text.format import printable

Document = dict[str, Any]
MOST_ANSWER = 16 * 1024 * 1024
LIMIT_S = 30.0
_PAGE = 250
_MOST_LISTED = 10_000
_PART = 65_536
_LONGEST_MESSAGE = 400
_AGAIN = (429, 500, 502, 503, 504)
_PAUSES_S = (0.2, 1.0, 3.0)
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"


class ApiRefusal(HostTrouble):
    """The API server answered, and refused. `status` is HTTP's, `reason` Kubernetes' word (`NotFound`, `Conflict`)."""

    def __init__(self, message: str, status: int, reason: str, *, begun: bool = False) -> None:
        self.status = status
        self.reason = reason
        super().__init__(message, begun=begun, lasting=status in (401, 403, 404))


class Reached(Protocol):
    """An API server as `connection` reaches it."""

    @property
    def shown(self) -> str:
        """The cluster in messages."""
        ...

    @property
    def url(self) -> str: ...

    def authorization(self) -> str | None:
        """The value of that header now: tokens are short-lived."""
        ...

    def pool(self) -> Any:
        """urllib3's pool of connections to it."""
        ...


class Api:
    """Requests to one API server. May be used by several threads. Every method raises HostTrouble; Refusal where it refused."""

    def __init__(self, server: Reached, limit_s: float = LIMIT_S) -> None:
        self.server = server
        self.limit_s = limit_s

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Document:
        """Asked again, within the time limit, where the server is overloaded or the connection breaks: reading changes nothing."""
        deadline = Deadline(self.limit_s)
        for pause_s in _PAUSES_S:
            try:
                return self._request("GET", path, query, deadline=deadline)
            except HostTrouble as trouble:
                passing = trouble.status in _AGAIN if isinstance(trouble, ApiRefusal) else not trouble.lasting
                if not passing or deadline.remaining_s() < pause_s + 1:
                    raise
            time.sleep(pause_s)
        return self._request("GET", path, query, deadline=deadline)

    def listed(self, path: str, query: Mapping[str, str] | None = None) -> list[Document]:
        """All objects, page by page. A list that expires between two pages (410) is begun once more."""
        try:
            return list(self._pages(path, query or {}))
        except ApiRefusal as refusal:
            if refusal.status != 410:
                raise
            return list(self._pages(path, query or {}))

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[Document]:
        page: dict[str, str] = {}
        count = 0
        while True:
            answer = self.get(path, {**query, "limit": str(_PAGE), **page})
            items = answer.get("items")
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise self._absurd(f"GET {path}", "a list without objects")
            count += len(items)
            if count > _MOST_LISTED:
                raise HostTrouble(f"{self.server.shown}: more than {_MOST_LISTED:,} objects at {path}: name fewer", begun=False)
            yield from items
            further = text(answer, "metadata", "continue")
            if not further or not items:
                return
            page = {"continue": further}

    def create(self, path: str, body: Document) -> Document:
        return self._request("POST", path, body=body)

    def patch(self, path: str, body: Document, kind: str = MERGE) -> Document:
        return self._request("PATCH", path, body=body, kind=kind)

    def delete(self, path: str, body: Document) -> Document:
        return self._request("DELETE", path, body=body)

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        body: Document | None = None,
        kind: str = "application/json",
        deadline: Deadline | None = None,
    ) -> Document:
        what = f"{method} {path}"
        deadline = deadline or Deadline(self.limit_s)
        try:
            with self._understood(what, begun=method != "GET"):
                return deadline.within(what, lambda: self._ask(method, path, query, body, kind, deadline))
        except ClusterTrouble:
            raise HostTrouble(
                f"{self.server.shown}: {what} was not answered within {deadline.limit_s:.3g} s. Check that the API server is up",
                begun=method != "GET",
            ) from None

    def _ask(
        self, method: str, path: str, query: Mapping[str, str] | None, body: Document | None, kind: str, deadline: Deadline
    ) -> Document:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "holdfast"}
        authorization = self.server.authorization()
        if authorization:
            headers["Authorization"] = authorization
        if body is not None:
            headers["Content-Type"] = kind
        url = f"{self.server.url.rstrip('/')}{quote(path)}" + (f"?{urlencode(query)}" if query else "")
        limit_s = max(0.1, deadline.remaining_s())
        response = self.server.pool().request(
            method,
            url,
            body=None if body is None else json.dumps(body).encode(),
            headers=headers,
            preload_content=False,
            redirect=False,  # a token goes to no other server
            retries=False,
            timeout=limit_s,
        )
        try:
            content = self._content(response, f"{method} {path}", deadline)
            status = int(response.status)
        finally:
            response.close()
        return self._answer(f"{method} {path}", status, content, begun=method != "GET")

    def _content(self, response: Any, what: str, deadline: Deadline) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_PART, decode_content=False):
            parts.append(part)
            size += len(part)
            if size > MOST_ANSWER:
                raise self._absurd(what, f"more than {MOST_ANSWER:,} bytes")
            if deadline.passed():
                raise deadline.trouble(what)
        return b"".join(parts)

    def _answer(self, what: str, status: int, content: bytes, *, begun: bool) -> Document:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if 200 <= status < 300:
            if not isinstance(answer, dict):
                raise self._absurd(what, "no JSON object")
            return answer
        raise refusal(self.server.shown, what, status, answer, begun=begun and status >= 500)

    def _absurd(self, what: str, found: str) -> HostTrouble:
        return HostTrouble(
            f"{self.server.shown}: {what} was answered with {found}: is {_place(self.server.url)} a Kubernetes API server?",
            begun=not what.startswith("GET"),
            lasting=True,
        )

    @contextmanager
    def _understood(self, what: str, *, begun: bool) -> Iterator[None]:
        """Raise HostTrouble for whatever the libraries raise. Their texts may quote a header: only kinds are passed on."""
        try:
            yield
        except (HostTrouble, ClusterTrouble):
            raise
        except Exception as error:  # noqa: BLE001 - several libraries and their plugins
            raise HostTrouble(
                f"{self.server.shown}: {what} failed: {kind_of(error)}", begun=begun and not _before_connecting(error)
            ) from None


def refusal(shown: str, what: str, status: int, answer: object, *, begun: bool) -> ApiRefusal:
    """What the API server answered instead, in its words, with what to do about it."""
    document = answer if isinstance(answer, dict) else {}
    reason, theirs = text(document, "reason"), text(document, "message")
    said = printable(" ".join(theirs.split()), _LONGEST_MESSAGE).rstrip(".") if theirs else f"status {status} without a message"
    remedy = {
        401: " Check the credentials of the connection or the kubeconfig.",
        403: " `holdfast doctor` prints the Role that is needed.",
    }.get(status, "")
    return ApiRefusal(f"{shown}: {what}: {said}.{remedy}", status, printable(reason, 60), begun=begun)


def kind_of(error: BaseException) -> str:
    """What went wrong without anything that was sent: the innermost reason of the operating system, or the kind of error."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.strerror:
            return printable(seen.strerror, 200)
        reason = getattr(seen, "reason", None)
        seen = reason if isinstance(reason, BaseException) else seen.__cause__ or seen.__context__
    return type(error).__name__


def _before_connecting(error: Exception) -> bool:
    return type(error).__name__ in ("NewConnectionError", "ConnectTimeoutError", "NameResolutionError", "ConfigException")


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def text(document: object, *path: str) -> str:
    """The string at a path of an answer; "" where there is none."""
    found = at(document, *path)
    return found if isinstance(found, str) else ""


def number(document: object, *path: str) -> int | None:
    found = at(document, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def objects(document: object, *path: str) -> list[Document]:
    """The objects of the list at a path; none where there is no list."""
    found = at(document, *path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def at(document: object, *path: str) -> object:
    for name in path:
        if not isinstance(document, dict):
            return None
        document = document.get(name)
    return document
