"""The shape of a signature in a document. Whether it is one of ours, `journal.seal` tells."""

from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields


def signature(value: object) -> object:
    fields = Fields(value)
    fields.need("algorithm", strict.name)
    fields.need("key", strict.name)
    fields.need("value", strict.name)
    fields.finish(closed=True)
    return value
