"""What the form of `plan_rollout` means: a Change document, or a few fields. The first airflow task and the page both ask here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.change.request import consumer_change_of
from holdfast.rollout.consumer.forecast import forecast as consumer_forecast
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.json.strict import nearest, refuse, shown, under
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.kinds.any_kind import AnyChange, AnySnapshot
from holdfast.rollout.streams.change import named_json
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.request import change_of
from holdfast.rollout.streams.change.request_json import NAMES, request_from_form
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.options import candidates
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

T = TypeVar("T")
FIELDS = (*NAMES, "cluster", "group", "change", "policy", "snapshot")


def change_meant(form: Mapping[str, object]) -> Callable[[AnySnapshot], AnyChange]:
    """The Change that the form means for a group. What is wrong in itself is told at once, the rest when there is a group.

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
            refuse_misfit(snapshot, change)
        return change

    return fitting


def refuse_misfit(snapshot: AnySnapshot, change: AnyChange) -> None:
    """Raise InvalidInput for a change that does not fit the group, with the path of the event."""
    if isinstance(snapshot, Snapshot):
        assert isinstance(change, Change), "a change is of its group's kind"
        _refuse_settings(snapshot, change)
        candidates.refuse_misfit(snapshot, _one_for_all(snapshot, change))
    else:
        assert isinstance(change, ConsumerChange), "a change is of its group's kind"
        consumer_forecast.refuse_misfit(snapshot, change)


def _one_for_all(snapshot: Snapshot, change: Change) -> Change:
    """Nothing but a rolling restart of clients that are there: if it fits one, it fits all, and a thousand take seconds."""
    if len(change.events) != 1 or not isinstance(rolling := change.events[0], RollingRestart) or not snapshot.clients:
        return change
    there = tuple(client.process_id for client in snapshot.clients)
    chosen = there if rolling.process_ids is None else rolling.process_ids
    if not (rolling.keeps_process_id and rolling.keeps_state) or rolling.within_session or not set(chosen) <= set(there):
        return change
    return replace(change, events=(replace(rolling, process_ids=chosen[:1]),))


def _refuse_settings(snapshot: Snapshot, change: Change) -> None:
    for index, item in enumerate(change.events):
        if isinstance(item, SetConfig | RollingRestart):
            given = {key: value for key, value in item.settings if value is not None}
            try:
                config_check.check(snapshot.kafka_release or RELEASES[-1], given)
            except InvalidInput as problem:
                raise InvalidInput(str(problem), f"events[{index}]") from None


def _as_fields(form: Mapping[str, object]) -> Callable[[AnySnapshot], AnyChange]:
    request = request_from_form(form)
    return lambda snapshot: (
        consumer_change_of(request, snapshot) if isinstance(snapshot, ConsumerSnapshot) else change_of(request, snapshot)
    )


def _as_document(form: Mapping[str, object], document: object) -> Callable[[AnySnapshot], AnyChange]:
    also = [name for name in NAMES if name != "what" and form.get(name)]
    if also:
        raise InvalidInput(f"a Change was given, and {', '.join(also)} too: empty one or the other", "change")

    def read(said: Callable[[], object], *, plain: bool) -> AnyChange:
        return _in_change(lambda: any_kind.change_from_json(said(), plain=plain))

    def of(snapshot: AnySnapshot) -> AnyChange:
        if isinstance(snapshot, ConsumerSnapshot):
            return read(lambda: document, plain=True)
        return read(lambda: named_json.resolved(document, snapshot), plain=False)

    read(lambda: named_json.unresolved(document), plain=any_kind.is_consumer_change(document))
    return of


def _in_change(work: Callable[[], T]) -> T:
    """What `work` gives; what is wrong is named as a path in the field `change`."""
    try:
        return work()
    except InvalidInput as problem:
        refuse(under("change", problem))
        raise
