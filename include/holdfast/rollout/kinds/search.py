"""The search for the best way to make a change, cut into pieces that travel: texts in, texts out, for a group of any kind."""

from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import registry


def candidates(snapshot: str, change: str) -> tuple[str, ...]:
    """A Snapshot and a Change → every option, as JSON, in the order in which a plan lists them."""
    document = loads(snapshot)
    kind = registry.of_snapshot(document)
    found = kind.propose(kind.snapshot_from_json(document), kind.change_from_json(loads(change)))
    return tuple(dumps(kind.option_to_json(option)) for option in found)


def evaluation(snapshot: str, candidate: str) -> str:
    """A Snapshot and one of the options → what it costs, as JSON."""
    document = loads(snapshot)
    kind = registry.of_snapshot(document)
    option = kind.option_from_json(loads(candidate))
    return dumps(kind.evaluated_to_json(kind.evaluate(kind.snapshot_from_json(document), option)))
