"""Clients that a Change names otherwise than by process ID: `"client": "app-2"` in the place of `"process_id": "4b61…"`.

The document is rewritten before it is read, once the group is known: a Change has process IDs and nothing else.
"""

from collections.abc import Callable, Mapping

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json import strict
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.event import About, Statement
from holdfast.rollout.streams.snapshot import named_clients
from holdfast.rollout.streams.snapshot.named_clients import Known
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_NAMED = 1_000
"""Events of one Change that name clients; more say process IDs."""
_NAMES = ("client", "clients", "copied_from_client")
_NO_CLIENT = ProcessId.parse("00000000-0000-4000-8000-000000000000")


def resolved(value: object, snapshot: Snapshot) -> object:
    """The Change's JSON with process IDs alone. Raise InvalidInput, with paths, for names that are not one client's.

    A name is looked up among those who are there by then: clients that the change itself brings, with a process ID, count.
    """
    return _rewritten(value, _There(tuple(map(named_clients.known, snapshot.clients))))


def unresolved(value: object) -> object:
    """The same before the group is known, every name some process ID: to check only whether the rest is valid."""
    return _rewritten(value, None)


class _There:
    """Who is in the group, event by event."""

    def __init__(self, clients: tuple[Known, ...]) -> None:
        self._clients = list(clients)

    def requested(self, name: str) -> ProcessId:
        return named_clients.requested(name, self._clients)

    def after(self, kind: type[Statement], content: Mapping[str, object]) -> None:
        """What cannot be read is refused later, by the Change's own reader."""
        self._clients = kind.known_after(content, self._clients)


def _rewritten(value: object, present: _There | None) -> object:
    events = value.get("events") if isinstance(value, dict) else None
    naming = sum(map(_names_any, events)) if isinstance(events, list) else 0
    if not isinstance(value, dict) or not isinstance(events, list) or not naming:
        return value
    if naming > MOST_NAMED:
        raise InvalidInput(f"{naming:,} events name a client; {MOST_NAMED:,} may. Give process IDs in the others", "events")
    written: list[object] = []
    problems: list[InvalidInput] = []
    for index, event in enumerate(events):
        try:
            written.append(_event(event, present))
        except InvalidInput as problem:
            problems.extend(each for one in strict.under(index, problem) for each in strict.under("events", one))
            written.append(event)
    strict.refuse(problems)
    return value | {"events": written}


def _names_any(event: object) -> bool:
    contents = event.values() if isinstance(event, dict) else ()
    return any(
        isinstance(content, dict) and (any(name in content for name in _NAMES[:2]) or _NAMES[2] in _of(content.get("state")))
        for content in contents
    )


def _event(event: object, present: _There | None) -> object:
    if not isinstance(event, dict) or len(event) != 1:
        return event
    (verb, content), *_ = event.items()
    kind = table.by_verb().get(str(verb))
    if not isinstance(content, dict) or kind is None:
        return event
    try:
        if kind.ABOUT is About.ONE_CLIENT:
            content = _replaced(content, "client", "process_id", lambda found: str(_requested(found, present)))
            content = _copied_from(content, present)
        elif kind.ABOUT is About.CLIENTS:
            content = _replaced(content, "clients", "process_ids", lambda found: _all_requested(found, present))
    except InvalidInput as problem:
        strict.refuse(strict.under(str(verb), problem))
        raise
    if present is not None:
        present.after(kind, content)
    return {verb: content}


def _copied_from(content: dict[str, object], present: _There | None) -> dict[str, object]:
    state = content.get("state")
    if not isinstance(state, dict) or "copied_from_client" not in state:
        return content
    try:
        return content | {"state": _replaced(state, "copied_from_client", "copied_from", lambda one: str(_requested(one, present)))}
    except InvalidInput as problem:
        strict.refuse(strict.under("state", problem))
        raise


def _replaced(content: dict[str, object], name: str, field: str, look_up: Callable[[object], object]) -> dict[str, object]:
    """`field` with what `name` stands for, in its place."""
    if name not in content:
        return content
    if field in content:
        raise InvalidInput(f"'{name}' and '{field}' both name the client: give one of them", name)
    try:
        found = look_up(content[name])
    except InvalidInput as problem:
        strict.refuse(strict.under(name, problem))
        raise
    return {field if key == name else key: found if key == name else value for key, value in content.items()}


def _requested(value: object, present: _There | None) -> ProcessId:
    name = strict.name(value)
    return _NO_CLIENT if present is None else present.requested(name)


def _all_requested(value: object, present: _There | None) -> list[str] | None:
    names = strict.each(value, strict.name)
    if not 0 < len(names) <= MOST_NAMED:
        raise InvalidInput(
            f"1 to {MOST_NAMED:,} clients are needed, {len(names):,} were found; leave the field out for all clients"
        )
    if present is None:
        return None
    found = [str(present.requested(name)) for name in names]
    if len(set(found)) < len(found):
        raise InvalidInput("a client is given twice")
    return found


def _of(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
