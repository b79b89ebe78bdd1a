"""Rack awareness that cannot work: tags and racks that clients or brokers do not have, or all have alike."""

from collections.abc import Sequence

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, Where, kip, page, text
from holdfast.rollout.settings.rules.standbys import STANDBYS, standbys
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import Kind

TAGS, STRATEGY = "rack.aware.assignment.tags", "rack.aware.assignment.strategy"
COSTS = ("rack.aware.assignment.traffic_cost", "rack.aware.assignment.non_overlap_cost")
TAG, RACK = "client.tag.", "client.rack"
_NONE = "none"


def _tags(subject: Subject) -> tuple[str, ...]:
    found = subject.settings.given(Client.STREAMS, TAGS)
    return found.value if found is not None and isinstance(found.value, tuple) else ()


def _strategy(subject: Subject) -> str | None:
    """That which is set, other than none."""
    found = subject.settings.given(Client.STREAMS, STRATEGY)
    return None if found is None or str(found.value) == _NONE else str(found.value)


def _tag_without_value(subject: Subject) -> Hit | None:
    lacking = [one for one in _tags(subject) if not subject.settings.says(f"{TAG}{one}")]
    if not lacking or not subject.settings.complete:
        return None
    return _of_tags(subject, (Fix(f"{TAG}{lacking[0]}", "the zone of this client"),), lacking)


def _tag_at_no_client(subject: Subject) -> Hit | None:
    seen = [{key for key, _ in member.tags} for member in subject.members]
    lacking = [one for one in _tags(subject) if any(one not in keys for keys in seen)]
    if not lacking or _tag_without_value(subject) is not None:
        return None
    return _of_tags(subject, (Fix(f"{TAG}{lacking[0]}", "the zone of this client"),), lacking)


def _tag_alike(subject: Subject) -> Hit | None:
    if len(subject.members) < 2 or not standbys(subject):
        return None
    values = {one: {dict(member.tags).get(one) for member in subject.members} for one in _tags(subject)}
    alike = [one for one, seen in values.items() if len(seen) == 1 and None not in seen]
    if not alike:
        return None
    left = ",".join(one for one in _tags(subject) if one not in alike)
    return _of_tags(subject, (Fix(f"{TAG}{alike[0]}", "the zone of each client"),), alike, Fix(TAGS, left or None))


def _tags_without_standbys(subject: Subject) -> Hit | None:
    tags = _tags(subject)
    return _of_tags(subject, (Fix(STANDBYS, "1"),), tags, Fix(TAGS, None)) if tags and standbys(subject) == 0 else None


def _of_tags(subject: Subject, fixes: tuple[Fix, ...], which: Sequence[str], *instead: Fix) -> Hit:
    return Hit((subject.settings.shown(Client.STREAMS, TAGS),), fixes, (text("tags", ", ".join(which)),), instead=instead)


def _clients_without_rack(subject: Subject) -> Hit | None:
    without = [member.name for member in subject.members if member.rack is None]
    said = subject.settings.given(Client.MAIN, RACK)
    if _strategy(subject) is None or not without or said is not None:
        return None
    return _of_strategy(subject, Fix(RACK, "the rack of this client"), ", ".join(without[:5]))


def _brokers_without_rack(subject: Subject) -> Hit | None:
    if _strategy(subject) is None or not subject.topics or subject.broker_racks:
        return None
    return _of_strategy(subject, Fix("broker.rack", "the rack of each broker", Where.BROKER), "")


def _other_racks(subject: Subject) -> Hit | None:
    clients = {member.rack for member in subject.members if member.rack is not None}
    if subject.kind is Kind.CLASSIC and _strategy(subject) is None:
        return None
    if not clients or not subject.broker_racks or clients & subject.broker_racks:
        return None
    of_brokers = ", ".join(sorted(subject.broker_racks)[:5])
    fix = Fix(RACK, f"the broker.rack of the zone of each client ({of_brokers})")
    names = f"{', '.join(sorted(clients)[:5])}; {of_brokers}"
    return Hit((subject.settings.shown(subject.consumer, RACK),), (fix,), (text("racks", names),))


def _one_rack(subject: Subject) -> Hit | None:
    racks = {member.rack for member in subject.members}
    if _strategy(subject) is None or len(subject.members) < 2 or len(racks) != 1 or None in racks:
        return None
    return _of_strategy(subject, Fix(RACK, "the rack of each client"), str(next(iter(racks))))


def _of_strategy(subject: Subject, fix: Fix, which: str) -> Hit:
    """Who has no racks, or one, needs no strategy."""
    shown = subject.settings.shown(Client.STREAMS, STRATEGY)
    return Hit((shown,), (fix,), (text("which", which),), instead=(Fix(STRATEGY, None),))


def _costs_alone(subject: Subject) -> Hit | None:
    given = [key for key in COSTS if subject.settings.given(Client.STREAMS, key) is not None]
    if not given or _strategy(subject) is not None:
        return None
    shown = tuple(subject.settings.shown(Client.STREAMS, key) for key in given)
    return Hit(shown, (Fix(STRATEGY, "min_traffic"),), instead=tuple(Fix(key, None) for key in given))


_BY_TAGS, _BY_RACK = Releases("3.2"), Releases("3.6")
RULES = (
    Rule(
        "rack-tags-without-value",
        "The application does not start: each tag of the list needs a client.tag of the same name, and {tags} has none.",
        (TAGS, "client.tag.*"),
        (kip(708), page("Streams Configs: rack.aware.assignment.tags")),
        _tag_without_value,
        releases=_BY_TAGS,
    ),
    Rule(
        "rack-tags-missing-at-a-client",
        "A client of the group has no value for {tags}: its copies cannot be spread by it.",
        (TAGS, "client.tag.*"),
        (kip(708),),
        _tag_at_no_client,
        releases=_BY_TAGS,
    ),
    Rule(
        "rack-tags-alike",
        "All clients have the same value for {tags}: a standby can be in no other zone than its active task.",
        (TAGS, "client.tag.*"),
        (kip(708),),
        _tag_alike,
        releases=_BY_TAGS,
    ),
    Rule(
        "rack-tags-without-standbys",
        "The tags spread standbys, and the group has none: {tags} has no effect.",
        (TAGS, STANDBYS),
        (kip(708),),
        _tags_without_standbys,
        releases=_BY_TAGS,
    ),
    Rule(
        "rack-strategy-without-client-rack",
        "Rack-aware assignment is skipped unless every client has client.rack; without it: {which}.",
        (STRATEGY, RACK),
        (kip(925), page("Streams Configs: rack.aware.assignment.strategy")),
        _clients_without_rack,
        releases=_BY_RACK,
    ),
    Rule(
        "rack-strategy-without-broker-racks",
        "Rack-aware assignment is skipped where no broker has broker.rack.",
        (STRATEGY,),
        (kip(925), page("Broker Configs: broker.rack")),
        _brokers_without_rack,
        releases=_BY_RACK,
    ),
    Rule(
        "rack-names-differ",
        "No client is in a rack that a broker is in (clients; brokers: {racks}): every read counts as one from another rack.",
        (RACK,),
        (kip(392), kip(881), kip(925)),
        _other_racks,
        (Kind.CLASSIC, Kind.CONSUMERS),
    ),
    Rule(
        "rack-strategy-in-one-rack",
        "All clients are in the rack {which}: each assignment has the same traffic, and there is nothing to choose from.",
        (STRATEGY, RACK),
        (kip(925),),
        _one_rack,
        releases=_BY_RACK,
    ),
    Rule(
        "rack-costs-without-strategy",
        "The costs are read by rack.aware.assignment.strategy alone, which is none: they have no effect.",
        (*COSTS, STRATEGY),
        (kip(925),),
        _costs_alone,
        releases=_BY_RACK,
    ),
)
