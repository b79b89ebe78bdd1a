"""Progress of a search: what there is to forecast, and a line for each option that was. Text in, text out, so that it travels."""

from collections.abc import Sequence

from holdfast.rollout.json.codec import TEXT, integer, items
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import dumps, loads

FOLDER = "progress"
"""Below a draft: a file an option, by its place among those that were proposed."""
LONGEST_TITLE = 300
MOST = 1_000
ANNOUNCED = "options.json"
"""In the same folder: what there is to forecast, from the beginning on."""
KEPT = "forecasts"
"""Below a draft: a file an option too, with its evaluation. Written before its progress: what is shown as done is not done again
after a kill, nor by Spark where it takes over."""


@record
class OptionForecast:
    """One option that was forecast: the `place`-th of `of`, counted from 0, and how long that took."""

    place: int = member(integer(0, MOST))
    of: int = member(integer(0, MOST))
    title: str = member(TEXT)
    milliseconds: int = member(integer(0, 2**53))


@record(closed=False)
class Announced:
    """The titles of all options, in the order in which a plan lists them."""

    titles: tuple[str, ...] = member(items(TEXT))


def file_name(place: int) -> str:
    return f"{place:03d}.json"


def written(place: int, of: int, candidate: str, seconds: float) -> str:
    """`candidate`: the JSON of an option, as `search.candidates` has it."""
    found = OptionForecast(place, of, _title(candidate), max(0, round(seconds * 1000)))
    return dumps(codec_of(OptionForecast).write(found))


def announced(candidates: Sequence[str]) -> str:
    """What is written of all options before the first of them is forecast."""
    return dumps(codec_of(Announced).write(Announced(tuple(map(_title, candidates[:MOST])))))


def _title(candidate: str) -> str:
    entry = loads(candidate)
    return (str(entry.get("title") or entry.get("name") or "") if isinstance(entry, dict) else "")[:LONGEST_TITLE]


def read(text: bytes) -> OptionForecast:
    """Raise InvalidInput for what is none, or only half written."""
    return codec_of(OptionForecast).read(loads(text))


def titles(text: bytes) -> tuple[str, ...]:
    """Of what `announced` wrote. Raise InvalidInput as `read` does."""
    return codec_of(Announced).read(loads(text)).titles
