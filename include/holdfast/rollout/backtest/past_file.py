"""The past of one group as a file of the lake: a line of JSON, and its records of `__consumer_offsets` as the broker has them.

The nightly job judges it on another machine than the one that read the cluster. Files are bounded: see `written`.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.entries import Frame, entries
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.backtest.stops import Stop
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, INSTANT, NAME, TEXT, TEXTS, integer, items, nullable, table
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG
from holdfast.rollout.json.record import codec_of, member, record

MOST_BYTES = 32 * 1024**2
"""Of the records of one group."""
MOST_RECORDS = 20_000
_LONGEST_HEADER = 4 * 1024**2
_STOPPED = table(NAME, INSTANT)
_HELD = table(NAME, items(nullable(COUNT)))


@record(version="1.0", about="The past of one group, before its records.")
class PastHeader:
    """`coordinated`: its broker assigns. `release`, `broker_release`, `config`: as given; `changelogs`: end offsets
    then; `brokers_newest`, `group_configs`, `stopped`: as in `Given`.
    `left_out`: how many of its oldest records are not in the file. `troubles`: what could not be read."""

    cluster: str = member(TEXT)
    group_id: str = member(NAME)
    read_at: str = member(INSTANT)
    coordinated: bool = member(BOOLEAN)
    release: str | None = member(nullable(TEXT), default=None)
    broker_release: str | None = member(nullable(TEXT), default=None)
    config: tuple[tuple[str, ConfigValue], ...] = member(CONFIG, default=())
    changelogs: tuple[tuple[str, tuple[int | None, ...]], ...] = member(_HELD, default=())
    brokers_newest: str | None = member(nullable(TEXT), default=None, omit=True)
    group_configs: tuple[tuple[str, ConfigValue], ...] = member(CONFIG, default=(), omit=True)
    stopped: tuple[Stop, ...] = member(_STOPPED, default=(), omit=True)
    left_out: int = member(integer(0, java.INT_MAX), default=0)
    troubles: tuple[str, ...] = member(TEXTS, default=())

    @property
    def given(self) -> Given:
        return Given(
            self.release,
            self.broker_release,
            self.config,
            self.changelogs,
            brokers_newest=self.brokers_newest,
            group_configs=self.group_configs,
            stopped=self.stopped,
        )


HEADER = codec_of(PastHeader)


def written(header: PastHeader, frames: Iterable[Frame]) -> bytes | None:
    """The newest records, up to 20,000 and 32 MiB. None: a group whose broker assigns has more than that: each of its targets
    follows from all records before it, so that there is nothing to leave out."""
    kept: list[bytes] = []
    size = first = 0
    for frame in frames:
        kept.append(frame.written())
        size += len(kept[-1])
        while size > MOST_BYTES or len(kept) - first > MOST_RECORDS:
            if header.coordinated:
                return None
            size -= len(kept[first])
            kept[first] = b""
            first += 1
    text = strict.dumps(HEADER.write(replace(header, left_out=first))).encode()
    return b"\n".join((text, b"".join(kept)))


def read(content: bytes) -> tuple[PastHeader, Callable[[], Iterator[PastEntry]], Mapping[str, None]]:
    """The header, the entries (read anew at each call), and what of them could not be read, once they were. Raise InvalidInput."""
    end = content.find(b"\n", 0, _LONGEST_HEADER)
    if end < 0:
        raise InvalidInput("a line of JSON is needed, and none was found", "the past of a group")
    header = HEADER.read(strict.loads(content[:end]))
    troubles: dict[str, None] = {}

    def found() -> Iterator[PastEntry]:
        file = io.BytesIO(content)
        file.seek(end + 1)
        return entries(_frames(file, len(content)), troubles.setdefault, coordinated=header.coordinated)

    return header, found, troubles


def _frames(file: io.BytesIO, end: int) -> Iterator[Frame]:
    while file.tell() < end:
        yield Frame.read(file)
