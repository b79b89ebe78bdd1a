"""All rules as Markdown, for docs/settings.md: generated from the declarations, so that the page has every rule."""

from collections.abc import Iterator

from holdfast.rollout.settings import words
from holdfast.rollout.settings.rule import Rule
from holdfast.rollout.settings.table import THEMES
from holdfast.rollout.settings.vocabulary import Kind
from holdfast.rollout.text.format import markdown

_SHORT = {Kind.CLASSIC: "Streams", Kind.BY_BROKER: "streams groups", Kind.CONSUMERS: "consumers"}
HEAD = "| rule | finding | groups | releases | source |\n|---|---|---|---|---|"


def rules() -> str:
    """A section for each theme."""
    return "\n\n".join(f"### {theme}\n\n{HEAD}\n" + "\n".join(_row(rule) for rule in rules) for theme, rules in THEMES) + "\n"


class _Dots(dict[str, str]):
    """For the figure of a hit, whatever its name."""

    def __missing__(self, name: str) -> str:
        return "…"


def _row(rule: Rule) -> str:
    cells = (f"`{rule.name}`{'' if rule.cited else ' ★'}", *_texts(rule))
    return f"| {' | '.join(cells)} |"


def _texts(rule: Rule) -> Iterator[str]:
    yield markdown(rule.says.format_map(_Dots()))
    yield ", ".join(_SHORT[kind] for kind in rule.kinds)
    yield words.releases(rule.releases)
    yield markdown(words.sources(rule, short=True))
