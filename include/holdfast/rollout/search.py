"""The search for the best way to make a change, cut into pieces that travel: texts in, texts out, for a group of either kind."""

from holdfast.rollout import candidates as streams
from holdfast.rollout import codec
from holdfast.rollout.codec import any_kind, document
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.consumer_change import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.codec.consumer_evaluation import way_forecast_to_json
from holdfast.rollout.codec.document import Fields
from holdfast.rollout.codec.steps import settings_from_json, settings_to_json
from holdfast.rollout.consumer import ways
from holdfast.rollout.consumer.evaluation import evaluate
from holdfast.rollout.consumer.ways import Way
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot


def candidates(snapshot: str, change: str) -> tuple[str, ...]:
    """A Snapshot and a Change → every way to make it, as JSON, in the order in which a plan lists them."""
    group = any_kind.snapshot_from_json(codec.loads(snapshot))
    if isinstance(group, ConsumerSnapshot):
        meant = consumer_change_from_json(codec.loads(change))
        return tuple(codec.dumps(_way_to_json(way)) for way in ways.propose(group, meant))
    found = streams.propose(group, codec.change_from_json(codec.loads(change)))
    return tuple(codec.dumps(codec_plan.candidate_to_json(candidate)) for candidate in found)


def evaluation(snapshot: str, candidate: str) -> str:
    """A Snapshot and one of the candidates → what it costs, as JSON."""
    group = any_kind.snapshot_from_json(codec.loads(snapshot))
    if isinstance(group, ConsumerSnapshot):
        return codec.dumps(way_forecast_to_json(evaluate(group, _way_from_json(codec.loads(candidate)))))
    return codec.dumps(
        codec_plan.evaluation_to_json(streams.evaluate(group, codec_plan.candidate_from_json(codec.loads(candidate))))
    )


def _way_to_json(way: Way) -> dict[str, object]:
    """What its forecast needs: the rest is proposed again where the plan is assembled."""
    return {"name": way.name, "change": consumer_change_to_json(way.change), "settings": settings_to_json(way.settings)}


def _way_from_json(value: object) -> Way:
    fields = Fields(value)
    name = fields.need("name", document.name)
    change = fields.need("change", consumer_change_from_json)
    way = Way(name, name, change, (), "", settings=fields.need("settings", settings_from_json))
    fields.finish(closed=True)
    return way
