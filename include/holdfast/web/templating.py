"""Templates: everything that is put out is escaped, and what could steer the reader's eye is made visible."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from holdfast.rollout.contract import plan_words
from holdfast.rollout.contract.requests import What
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.kinds import verdict_words
from holdfast.rollout.policy.rules import MEANINGS
from holdfast.rollout.review.parts import MOST_STEPS
from holdfast.rollout.text.document_blocks import Block
from holdfast.rollout.text.format import amount_of_bytes, duration, many, printable
from holdfast.rollout.text.html import to_html
from holdfast.web import history
from holdfast.web.group_view import MOST_MEMBERS
from holdfast.web.new import new_view
from holdfast.web.plan import task_table
from holdfast.web.plan.chart_data import hops_data, timeline_data

LONGEST_TEXT = 4_000
STATIC_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


def _shown(value: object) -> object:
    """Names come from brokers, hosts and people: what is invisible in them, or turns the writing direction, is written out."""
    return printable(value, LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value


_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def in_attribute(value: object) -> Markup:
    """A value that a form sends back unchanged: characters that are invisible, or turn the writing direction, are escaped by
    number."""
    return Markup(_STEERING.sub(lambda found: f"&#{ord(found[0])};", str(escape(value))))  # noqa: S704 - escaped just before


_AFTER_A_NUMBER = re.compile(r"(?<=\d) (?=(?:s|min|h|d)\b)")


def unbroken(text: str) -> Markup:
    """A number stays on a line with its unit."""
    return Markup(_AFTER_A_NUMBER.sub("&nbsp;", str(escape(printable(text, LONGEST_TEXT)))))  # noqa: S704 - escaped


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("holdfast.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {"duration": duration, "many": many, "bytes": amount_of_bytes, "moment": moment, "sentence": sentence}
    made.filters |= {"brief": brief, "unbroken": unbroken}
    made.filters |= {"e": in_attribute, "escape": in_attribute}
    made.globals |= {"version": version, "timeline_data": timeline_data, "hops_data": hops_data}
    made.globals |= {
        "rule_says": MEANINGS,
        "What": What,
        "assessment_words": plan_words.ASSESSMENTS,
        "result_says": verdict_words.RESULTS,
        "matrix_of": task_table.matrix,
        "scenarios": tuple(map(str, Scenario)),
        "label_of": new_view.label_of,
        "history_bars": history.bars,
        "blocks": blocks,
        "most_steps": MOST_STEPS,
        "most_members": MOST_MEMBERS,
    }
    return made


def blocks(items: Sequence[Block]) -> Markup:
    """What a document says, as a part of a page."""
    return Markup(to_html(items))  # noqa: S704 - escaped there


def sentence(text: str) -> str:
    """With a capital letter and a full stop, whatever its source; lines stay lines."""
    stripped = text.strip()
    return f"{stripped[:1].upper()}{stripped[1:]}{'' if stripped.endswith(('.', '!', '?', ':')) else '.'}" if stripped else ""


_A_UUID = re.compile(r"\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def brief(text: str) -> str:
    """With the first digits of process IDs, where the whole ones are on the same page."""
    return _A_UUID.sub(r"\1…", text)


def moment(text: str) -> str:
    """`2026-11-20 13:48 UTC` of ISO 8601."""
    return f"{text[:10]} {text[11:16]} UTC" if text else "unknown"


def render(template: str, **values: object) -> str:
    return environment().get_template(template).render(**values)


def compile_all() -> None:
    """Every template and every static file into memory: no reader of a page waits for that."""
    made = environment()
    for name in made.list_templates():
        made.get_template(name)
    for name in _static_files():
        version(name)


def static(name: str) -> bytes | None:
    """A file of `static/`, by its name alone; None where there is none of that name."""
    return _static_files().get(name)


@cache
def _static_files() -> dict[str, bytes]:
    folder = files("holdfast.web").joinpath("static")
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in STATIC_TYPES}


@cache
def version(name: str) -> str:
    """Part of a static file's address, so that a new release is not read from a browser's cache."""
    return hashlib.sha256(_static_files()[name]).hexdigest()[:12]
