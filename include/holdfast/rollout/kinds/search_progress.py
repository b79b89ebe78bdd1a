"""How far a search is: a line for each option that was forecast, whoever forecast it. Text in, text out, so that it travels."""

from dataclasses import dataclass

from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields, dumps, loads

FOLDER = "progress"
"""Below a draft: a file an option, by its place among those that were proposed."""
LONGEST_TITLE = 300
MOST = 1_000


@dataclass(frozen=True, slots=True)
class Forecast:
    """One option that was forecast: the `place`-th of `of`, counted from 0, and how long that took."""

    place: int
    of: int
    title: str
    milliseconds: int


def file_name(place: int) -> str:
    return f"{place:03d}.json"


def written(place: int, of: int, candidate: str, seconds: float) -> str:
    """`candidate`: the JSON of an option, as `search.candidates` has it."""
    said = loads(candidate)
    title = str(said.get("title") or said.get("name") or "") if isinstance(said, dict) else ""
    content = {"place": place, "of": of, "title": title[:LONGEST_TITLE], "milliseconds": max(0, round(seconds * 1000))}
    return dumps(content)


def read(text: bytes) -> Forecast:
    """Raise InvalidInput for what is none, or only half written."""
    fields = Fields(loads(text))
    found = Forecast(
        place=fields.need("place", lambda value: strict.integer(value, 0, MOST)),
        of=fields.need("of", lambda value: strict.integer(value, 0, MOST)),
        title=fields.need("title", strict.text),
        milliseconds=fields.need("milliseconds", lambda value: strict.integer(value, 0, 2**53)),
    )
    fields.finish(closed=True)
    return found
