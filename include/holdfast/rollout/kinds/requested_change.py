"""The input of `plan_rollout`'s form as a Change: a document, or a few fields. Used by the first Airflow task and by the page."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.requests import FORM, request_from_form
from holdfast.rollout.group.values import AnyChange, AnySnapshot
from holdfast.rollout.json.strict import nearest, refuse, shown, under
from holdfast.rollout.kinds import registry
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of

T = TypeVar("T")
FIELDS = (*FORM, "cluster", "group", "change", "policy", "snapshot")


def change_requested(form: Mapping[str, object]) -> Callable[[AnySnapshot], AnyChange]:
    """The Change that the form means for a group. Errors of the form itself are reported at once, the rest when there is a group.

    Raise InvalidInput with the name of every field that is wrong, also for a Change that does not fit the group.
    """
    for name in form:
        if name not in FIELDS:
            raise InvalidInput(f"the form has no field {shown(name)}{nearest(name, FIELDS)}; it has {', '.join(FIELDS)}")
    document = form.get("change")
    read = _as_document(form, document) if document else _as_fields(form)

    def fitting(snapshot: AnySnapshot) -> AnyChange:
        change = read(snapshot)
        if document:
            _in_change(lambda: refuse_misfit(snapshot, change))
        else:
            move.refuse_prevented(snapshot, change)
            refuse_misfit(snapshot, change)
        return change

    return fitting


def refuse_misfit(snapshot: AnySnapshot, change: AnyChange) -> None:
    """Raise InvalidInput for a change that does not fit the group, with the path of the event."""
    decided, asked = move.followed(snapshot, change)
    kind_of(decided).refuse_misfit(decided, asked)


def _as_fields(form: Mapping[str, object]) -> Callable[[AnySnapshot], AnyChange]:
    request = request_from_form(form)

    def of(snapshot: AnySnapshot) -> AnyChange:
        requested: AnyChange = kind_of(snapshot).change_of(request, snapshot)
        return requested

    return of


def _as_document(form: Mapping[str, object], document: object) -> Callable[[AnySnapshot], AnyChange]:
    also = [name for name in FORM if name != "what" and form.get(name)]
    if also:
        raise InvalidInput(f"a Change was given, and {', '.join(also)} too: clear one of them", "change")
    _in_change(lambda: registry.check_change(document))

    def of(snapshot: AnySnapshot) -> AnyChange:
        requested: AnyChange = _in_change(lambda: kind_of(snapshot).change_for(document, snapshot))
        return requested

    return of


def _in_change(work: Callable[[], T]) -> T:
    """What `work` gives; what is wrong is named as a path in the field `change`."""
    try:
        return work()
    except InvalidInput as problem:
        refuse(under("change", problem))
        raise
