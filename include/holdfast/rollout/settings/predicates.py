"""Predicates that many rules share: a number outside of what is useful, a value that means something."""

from collections.abc import Callable, Iterable

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.rule import Figure, Fix, Hit, Unit
from holdfast.rollout.settings.subject import Subject

One = Callable[[Subject], Hit | None]


def above(client: Client, key: str, most: int, fixed: str | None, unit: Unit = Unit.MS) -> One:
    """A given number of a client that is more than `most`. The figure is called `value`, `most` the other one."""

    def look(subject: Subject) -> Hit | None:
        value = given_number(subject, client, key)
        return None if value is None or value <= most else _hit(subject, client, key, fixed, (value, most), unit)

    return look


def below(client: Client, key: str, least: int, fixed: str | None, unit: Unit = Unit.MS, *, unless: int | None = None) -> One:
    """A given number of a client that is less than `least`. `unless`: a value with a meaning of its own."""

    def look(subject: Subject) -> Hit | None:
        value = given_number(subject, client, key)
        if value is None or value >= least or value == unless:
            return None
        return _hit(subject, client, key, fixed, (value, least), unit)

    return look


def equal(client: Client, key: str, values: tuple[str, ...], fixed: str | None) -> One:
    """A given value of a client that is one of these, in any case."""

    def look(subject: Subject) -> Hit | None:
        found = subject.settings.given(client, key)
        if found is None or str(found.value).lower() not in values:
            return None
        assert found.given_as is not None, "it is given"
        return Hit((subject.settings.shown(client, key),), (Fix(found.given_as, fixed),))

    return look


def any_above(clients: Iterable[Client], key: str, most: int, fixed: str | None) -> One:
    """`above`, of the first of these clients that has it."""
    return first(*(above(one, key, most, fixed) for one in clients))


def any_below(clients: Iterable[Client], key: str, least: int, fixed: str | None, *, unless: int | None = None) -> One:
    """`below`, of the first of these clients that has it."""
    return first(*(below(one, key, least, fixed, unless=unless) for one in clients))


def first(*looks: One) -> One:
    """The first that finds something."""

    def look(subject: Subject) -> Hit | None:
        return next((hit for one in looks if (hit := one(subject)) is not None), None)

    return look


def given_number(subject: Subject, client: Client, key: str) -> int | None:
    found = subject.settings.given(client, key)
    return found.value if found and isinstance(found.value, int) and not isinstance(found.value, bool) else None


def given_as(subject: Subject, client: Client, key: str) -> str:
    """The key as the application says it, its prefix included; else as it would."""
    found = subject.settings.given(client, key)
    return found.given_as if found is not None and found.given_as is not None else key


def _hit(subject: Subject, client: Client, key: str, fixed: str | None, values: tuple[int, int], unit: Unit) -> Hit:
    figures = (Figure("value", values[0], unit), Figure("bound", values[1], unit))
    return Hit((subject.settings.shown(client, key),), (Fix(given_as(subject, client, key), fixed),), figures)
