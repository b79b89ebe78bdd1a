"""The pages of the kinds of group, one line per kind. A kind without a line has the pages that fit all kinds."""

from holdfast.rollout.kinds.registry import kind_of
from holdfast.web.kinds.broker_consumer.pages import BrokerConsumerPages
from holdfast.web.kinds.broker_streams.pages import BrokerStreamsPages
from holdfast.web.kinds.consumer.pages import ConsumerPages
from holdfast.web.kinds.kind_pages import KindPages
from holdfast.web.kinds.streams.pages import StreamsPages

PAGES: tuple[KindPages, ...] = (
    StreamsPages(),
    ConsumerPages(),
    BrokerStreamsPages(),
    BrokerConsumerPages(),
)
_ANY = KindPages()


def pages_of(value: object) -> KindPages:
    """Of a Snapshot or a Plan."""
    name = kind_of(value).name
    return next((one for one in PAGES if one.kind == name), _ANY)
