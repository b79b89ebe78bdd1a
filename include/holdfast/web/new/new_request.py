"""What was typed into "Plan a rollout": the parameters of `plan_rollout`, what they mean, and what is wrong with them. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdfast import secrecy
from holdfast.airflow_wiring import form
from holdfast.errors import HoldfastError, InvalidDocument, InvalidInput
from holdfast.kafka import properties
from holdfast.kafka.streams import config_check
from holdfast.rollout.contract.requests import What
from holdfast.rollout.group.values import AnyChange, AnySnapshot
from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.kinds.requested_change import FIELDS as PARAMS
from holdfast.rollout.kinds.requested_change import change_requested
from holdfast.rollout.policy import floor
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import printable
from holdfast.web.new.new_view import DOCUMENT, fields_of

Sent = Mapping[str, Sequence[str]]
"""The fields of the page as a browser sends them."""
SETTING = "setting."
MOST_SAID = 100
"""Characters kept of the beginning and of the end of a schema's message: the value is first."""
FRESH = "fresh"
WHOLE_NUMBERS = ("clients", "threads", "at_once")
TEXTS = ("new_host", "disk", "kafka_release", "broker_release")
NAMES = (
    "cluster",
    "group",
    "what",
    "hosts",
    "more_hosts",
    *WHOLE_NUMBERS,
    *TEXTS,
    "minutes",
    "settings",
    "change",
    "policy",
    "snapshot",
)
"""What the page sends, in addition to settings that have a field of their own."""


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """What was typed, and what comes of it. `problems`: by field; under "" what is about none. `said` names what was checked."""

    conf: Mapping[str, object]
    problems: Mapping[str, str] = field(default_factory=dict)
    sentence: str = ""

    @property
    def said(self) -> str:
        return fingerprint(dict(self.conf))[7:23]


def text(sent: Sent, name: str) -> str:
    return (sent.get(name) or [""])[0]


def typed_of(conf: Mapping[str, object]) -> dict[str, list[str]]:
    """The page's fields for the parameters of a run: to ask again."""
    sent: dict[str, list[str]] = {}
    for name, value in conf.items():
        if value in (None, "", [], {}) or name not in PARAMS:
            continue
        if name == "hosts" and isinstance(value, list):
            sent["hosts"] = [str(one) for one in value]
        elif isinstance(value, dict):
            sent[name] = [dumps(value, indent=2)]
        else:
            sent[name] = [str(value)]
    if DOCUMENT in sent:
        sent["what"] = [DOCUMENT]
    return sent


def asked_for(sent: Sent, snapshot: AnySnapshot | None, team: Policy | None = None) -> CheckedRequest:
    """What the fields mean, checked as the first airflow task checks it, and against the group where one is known. `team`: the
    team's policy, if there is one."""
    conf, problems = conf_of(sent, snapshot)
    if not problems:
        problems = _airflows(conf)
    if problems:
        return CheckedRequest(conf, problems)
    try:
        requested = change_requested(conf)
        change = None if snapshot is None else requested(snapshot)
        if team is not None and change is not None:
            floor.refuse_faster(kind_of(change).records_per_second(change), team)
    except HoldfastError as refusal:
        return CheckedRequest(conf, _by_field(refusal, sent))
    return CheckedRequest(conf, {}, _unchecked(conf) if change is None or snapshot is None else sentence(change, snapshot))


def conf_of(sent: Sent, snapshot: AnySnapshot | None) -> tuple[dict[str, object], dict[str, str]]:
    """The parameters of `plan_rollout`, only those that were given; and what is not even a number or a document."""
    conf: dict[str, object] = {}
    problems: dict[str, str] = {}
    for name in ("cluster", "group"):
        conf[name] = text(sent, name)
        if not text(sent, name).strip():
            problems[name] = f"nothing was found; the name of the {name} is needed"
    what = text(sent, "what")
    if not what:
        problems["what"] = "nothing was found; choose what is to be done"
    wanted = fields_of(what)
    if what != DOCUMENT:
        conf["what"] = what
    for name in wanted:
        try:
            value = _value(name, sent, snapshot)
        except InvalidInput as problem:
            problems[name] = problem.problem
            continue
        if value not in (None, "", []):
            conf[name] = value
    if what == DOCUMENT and DOCUMENT not in conf and DOCUMENT not in problems:
        problems[DOCUMENT] = "nothing was found; a Change document is needed"
    conf |= {name: text(sent, name) for name in ("policy", "snapshot") if text(sent, name).strip() not in ("", FRESH)}
    for name in [*conf]:
        found = secrecy.find(conf[name])
        if found is not None:  # Airflow would keep it with the run, and show it
            del conf[name]
            problems[name] = f"{': '.join(filter(None, found))}; leave it out"
    return conf, problems


def _value(name: str, sent: Sent, snapshot: AnySnapshot | None) -> object:
    if name == "hosts":
        lines = (line.strip() for line in re.split(r"[,\r\n]+", text(sent, "more_hosts")))
        return [*dict.fromkeys(one for one in (*sent.get("hosts", ()), *lines) if one)]
    if name == "settings":
        return _settings(sent, snapshot)
    if name == DOCUMENT:
        typed = text(sent, DOCUMENT).strip()
        return loads(typed) if typed else None
    typed = text(sent, name).strip()
    if not typed or name in TEXTS:
        return typed
    if name in WHOLE_NUMBERS:
        if not re.fullmatch(r"[0-9]{1,9}", typed, re.ASCII):
            raise InvalidInput(f"'{printable(typed, 40)}' was found; a whole number is needed")
        return int(typed)
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,6})?", typed, re.ASCII):
        raise InvalidInput(f"'{printable(typed, 40)}' was found; a number of minutes is needed, such as 15")
    return int(typed) if typed.isdigit() else float(typed)


def _settings(sent: Sent, snapshot: AnySnapshot | None) -> str:
    """A line each. Raise InvalidInput for one that has a field of its own and is also in the text."""
    of_its_own = [] if snapshot is None else [one.key for one in kind_of(snapshot).settings(snapshot)]
    own = {key: value for key in of_its_own if (value := text(sent, f"{SETTING}{key}").strip())}
    more = text(sent, "settings").strip()
    twice = [key for key in own if re.search(rf"^\s*{re.escape(key)}\s*[=:\s]", more, re.MULTILINE)]
    if twice:
        raise InvalidInput(f"{twice[0]} is given both in its field and in the text: clear one of them")
    config_check.refuse_secrets(properties.parse(more))
    return "\n".join([*(f"{key}={value}" for key, value in own.items()), *([more] if more else [])])


def _airflows(conf: Mapping[str, object]) -> dict[str, str]:
    """What the parameters' own schemas refuse: Airflow would refuse it when the run is triggered."""
    from airflow.sdk.exceptions import ParamValidationError

    problems: dict[str, str] = {}
    params = form.fields()
    for name, value in conf.items():
        try:
            params[name].resolve(value)
        except ParamValidationError as refusal:
            said = str(refusal).splitlines()[0].removeprefix("Invalid input for param: ")
            problems[name] = printable(
                said if len(said) < 2 * MOST_SAID else f"{said[:MOST_SAID]}…{said[-MOST_SAID:]}", 3 * MOST_SAID
            )
    return problems


def _by_field(refusal: HoldfastError, sent: Sent) -> dict[str, str]:
    if not isinstance(refusal, InvalidInput):
        return {{What.UPGRADE.value: "kafka_release", DOCUMENT: DOCUMENT}.get(text(sent, "what"), ""): str(refusal)}
    problems: dict[str, str] = {}
    for one in refusal.problems if isinstance(refusal, InvalidDocument) else (refusal,):
        name, _, path = one.where.partition(".")
        name, _, index = name.partition("[")
        known_field = name in PARAMS
        where = (f"[{index}." if index else "") + path if known_field else one.where
        problem = f"{where.rstrip('.')}: {one.problem}" if where else one.problem
        key = name if known_field else ""
        problems[key] = f"{problems[key]}\n{problem}" if key in problems else problem
    return problems


# What it means.


def sentence(change: AnyChange, snapshot: AnySnapshot) -> str:
    """What is going to be asked for."""
    said = kind_of(snapshot).sentence(change, snapshot)
    return f"{said[:1].upper()}{said[1:]}."


def _unchecked(conf: Mapping[str, object]) -> str:
    """Of a group that the lake does not know."""
    if DOCUMENT in conf:
        return "Carry out the Change document."
    skipped = ("cluster", "group", "what", "policy", "snapshot")
    details = "; ".join(f"{name.replace('_', ' ')}: {_in_words(value)}" for name, value in conf.items() if name not in skipped)
    title = form.CHANGE_TYPES[str(conf["what"])]
    return f"{title}{f' ({details})' if details else ''}."


def _in_words(value: object) -> str:
    said = ", ".join(map(str, value)) if isinstance(value, list) else str(value).replace("\n", ", ")
    return printable(said, 300)
