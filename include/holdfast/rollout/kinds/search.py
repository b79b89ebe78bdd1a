"""The search for the best way to make a change, cut into pieces that travel: texts in, texts out, for a group of either kind."""

from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.options import ways
from holdfast.rollout.consumer.options.evaluation import evaluate
from holdfast.rollout.consumer.options.json import way_forecast_to_json
from holdfast.rollout.consumer.options.ways import Way
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import items
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import Fields, dumps, loads
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.json import candidate_from_json, candidate_to_json, evaluation_to_json
from holdfast.rollout.streams.options import candidates as streams


def candidates(snapshot: str, change: str) -> tuple[str, ...]:
    """A Snapshot and a Change → every way to make it, as JSON, in the order in which a plan lists them."""
    group = any_kind.snapshot_from_json(loads(snapshot))
    if isinstance(group, ConsumerSnapshot):
        meant = consumer_change_from_json(loads(change))
        return tuple(dumps(_way_to_json(way)) for way in ways.propose(group, meant))
    found = streams.propose(group, change_from_json(loads(change)))
    return tuple(dumps(candidate_to_json(candidate)) for candidate in found)


def evaluation(snapshot: str, candidate: str) -> str:
    """A Snapshot and one of the candidates → what it costs, as JSON."""
    group = any_kind.snapshot_from_json(loads(snapshot))
    if isinstance(group, ConsumerSnapshot):
        return dumps(way_forecast_to_json(evaluate(group, _way_from_json(loads(candidate)))))
    return dumps(evaluation_to_json(streams.evaluate(group, candidate_from_json(loads(candidate)))))


def _way_to_json(way: Way) -> dict[str, object]:
    """What its forecast needs: the rest is proposed again where the plan is assembled."""
    return {
        "name": way.name,
        "change": consumer_change_to_json(way.change),
        "settings": items(codec_of(SettingChange)).write(way.settings),
    }


def _way_from_json(value: object) -> Way:
    fields = Fields(value)
    name = fields.need("name", strict.name)
    change = fields.need("change", consumer_change_from_json)
    way = Way(name, name, change, (), "", settings=fields.need("settings", items(codec_of(SettingChange)).read))
    fields.finish(closed=True)
    return way
