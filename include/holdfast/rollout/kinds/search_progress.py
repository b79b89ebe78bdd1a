"""Progress of a search: a line for each forecast option, with the worker that forecast it. Text in, text out, so that it
travels."""

from holdfast.rollout.json.codec import TEXT, integer
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import dumps, loads

FOLDER = "progress"
"""Below a draft: a file an option, by its place among those that were proposed."""
LONGEST_TITLE = 300
MOST = 1_000


@record
class OptionForecast:
    """One option that was forecast: the `place`-th of `of`, counted from 0, and how long that took."""

    place: int = member(integer(0, MOST))
    of: int = member(integer(0, MOST))
    title: str = member(TEXT)
    milliseconds: int = member(integer(0, 2**53))


def file_name(place: int) -> str:
    return f"{place:03d}.json"


def written(place: int, of: int, candidate: str, seconds: float) -> str:
    """`candidate`: the JSON of an option, as `search.candidates` has it."""
    entry = loads(candidate)
    title = str(entry.get("title") or entry.get("name") or "") if isinstance(entry, dict) else ""
    found = OptionForecast(place, of, title[:LONGEST_TITLE], max(0, round(seconds * 1000)))
    return dumps(codec_of(OptionForecast).write(found))


def read(text: bytes) -> OptionForecast:
    """Raise InvalidInput for what is none, or only half written."""
    return codec_of(OptionForecast).read(loads(text))
