"""The shape of a signature in a document. Whether it is one of ours, `rollout.seal` tells."""

from holdfast.rollout.codec import document
from holdfast.rollout.codec.document import Fields


def signature(value: object) -> object:
    fields = Fields(value)
    fields.need("algorithm", document.name)
    fields.need("key", document.name)
    fields.need("value", document.name)
    fields.finish(closed=True)
    return value
