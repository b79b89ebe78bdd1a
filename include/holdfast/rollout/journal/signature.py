"""The format of a signature in a document. `journal.seal` checks it; readers of the document ignore it."""

from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import codec_of, member, record


@record(about="HMAC-SHA256 over everything else; which key, by its name.")
class Signature:
    algorithm: str = member(NAME)
    key: str = member(NAME)
    value: str = member(NAME)


SIGNATURE = codec_of(Signature)
