"""A field is declared once: what a record reads, writes, refuses and describes."""

from enum import StrEnum
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from holdfast.errors import InvalidDocument, InvalidInput, Unsupported
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, TEXT, choice, integer, items, nullable, number, row, table
from holdfast.rollout.json.record import (
    codec_of,
    derived,
    gathered,
    key,
    keyed,
    member,
    record,
    record_of,
    spread,
    variant,
    written_of,
)
from holdfast.rollout.json.record_codec import NEEDED
from holdfast.rollout.json.unions import tagged, where_there


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@record
class Wheel:
    place: str = key(NAME)
    inches: int = member(integer(1, 30), "Across.")


@record
class Paint:
    colour: Colour = member(choice(Colour))
    coats: int = member(COUNT, default=1, omit=True)


def _has_wheels(car: "Car") -> None:
    if not car.wheels:
        raise InvalidInput("a car has wheels, none was found", "wheels")


@record(version="1.0", also={"note": TEXT}, check=_has_wheels, about="A car.")
class Car:
    name: str = member(NAME)
    paint: Paint = spread(codec_of(Paint))
    wheels: tuple[Wheel, ...] = member(keyed(codec_of(Wheel)), "By where they are.")
    weight: int | None = member(nullable(COUNT), name="bytes", default=None)
    owner: str | None = member(NAME, default=None, omit=True)
    seats: int = member(COUNT, default=4, needed=True)


CAR = codec_of(Car)
BEETLE = Car("beetle", Paint(Colour.RED), (Wheel("left", 15), Wheel("right", 15)))
WRITTEN: dict[str, Any] = {
    "format_version": "1.0",
    "name": "beetle",
    "colour": "red",
    "wheels": {"left": {"inches": 15}, "right": {"inches": 15}},
    "bytes": None,
    "seats": 4,
}


def problems(document: object) -> list[str]:
    with pytest.raises(InvalidInput) as refusal:
        CAR.read(document)
    found = refusal.value
    return [str(one) for one in (found.problems if isinstance(found, InvalidDocument) else (found,))]


def test_it_is_written_in_the_order_in_which_it_is_declared() -> None:
    assert list(CAR.write(BEETLE).items()) == list(WRITTEN.items())
    assert CAR.read(WRITTEN) == BEETLE


def test_what_may_be_left_out_is_written_where_it_is_not_the_default() -> None:
    told = Car("beetle", Paint(Colour.GREEN, 2), BEETLE.wheels, 1, "ann", 5)

    assert CAR.write(told) == WRITTEN | {"colour": "green", "coats": 2, "bytes": 1, "owner": "ann", "seats": 5}
    assert CAR.read(CAR.write(told)) == told


def test_what_has_a_default_may_be_missing_unless_it_is_needed() -> None:
    assert CAR.read({field: value for field, value in WRITTEN.items() if field != "bytes"}) == BEETLE
    assert problems({field: value for field, value in WRITTEN.items() if field != "seats"}) == ["the field 'seats' is missing"]


def test_all_problems_are_told_at_once_each_with_its_path() -> None:
    wheels = {"left": {"inches": 31}, "": {}, "right": {"inch": 15}}

    known = "format_version, name, colour, coats, wheels, bytes, owner, seats, note"

    assert problems({"name": "", "colour": "blue", "wheels": wheels, "seats": True, "bites": 1, "note": 2}) == [
        "the field 'format_version' is missing",
        "note: a string is needed, 2 was found",
        "name: a name is needed, an empty string was found",
        "colour: one of 'red', 'green' is needed, 'blue' was found",
        "wheels.left.inches: an integer from 1 to 30 is needed, 31 was found",
        "wheels.'': a name is needed, an empty string was found",
        "wheels.'': the field 'inches' is missing",
        "wheels.right: the field 'inches' is missing",
        "wheels.right: the field 'inch' is unknown (did you mean 'inches'?); known are: inches",
        "seats: an integer is needed, True was found",
        f"the field 'bites' is unknown (did you mean 'bytes'?); known are: {known}",
    ]


def test_what_no_field_shows_alone_is_checked_last() -> None:
    assert problems(WRITTEN | {"wheels": {}}) == ["wheels: a car has wheels, none was found"]


def test_another_format_is_not_read() -> None:
    with pytest.raises(Unsupported, match=r"format_version '2.0' is unknown"):
        CAR.read(WRITTEN | {"format_version": "2.0"})


@pytest.mark.parametrize("value", [None, [], "car", 1])
def test_it_is_an_object(value: object) -> None:
    assert problems(value)[0].startswith("an object is needed")


def test_its_schema_says_the_same() -> None:
    schema = CAR.shape()
    valid = Draft202012Validator(schema).is_valid

    assert schema["description"] == "A car."
    assert schema["properties"]["wheels"]["description"] == "By where they are."
    assert valid(WRITTEN)
    assert valid(WRITTEN | {"note": "x", "owner": "ann", "coats": 2})
    for field in ("format_version", "name", "colour", "wheels", "seats"):
        assert not valid({name: value for name, value in WRITTEN.items() if name != field})
    for wrong in (
        {"owner": None},
        {"coats": -1},
        {"more": 1},
        {"wheels": {"left": {"inches": 0}}},
        {"wheels": {"": {"inches": 1}}},
    ):
        assert not valid(WRITTEN | wrong)
        assert problems(WRITTEN | wrong)


class Point(NamedTuple):
    x: int
    y: int


def test_a_value_that_does_not_know_its_json_is_declared_from_outside() -> None:
    """In the order of the document, whatever that of the constructor is; an open object may hold more."""
    point = record_of(Point, closed=False, y=member(COUNT), x=member(COUNT, name="across"))

    assert list(point.write(Point(1, 2)).items()) == [("y", 2), ("across", 1)]
    assert point.read({"y": 2, "across": 1, "z": 3}) == Point(1, 2)


def test_a_declaration_that_does_not_fit_is_refused_at_once() -> None:
    with pytest.raises(AssertionError, match="first arguments"):
        record_of(Point, x=member(COUNT), z=member(COUNT))
    with pytest.raises(AssertionError, match="declared twice"):
        record_of(Point, x=member(COUNT), y=member(COUNT, name="x"))


def test_a_row_and_a_table() -> None:
    both = items(row("a point like [1, 2] is needed", Point, list, COUNT, COUNT))
    by_name = table(NAME, BOOLEAN)

    assert both.read(both.write((Point(1, 2),))) == (Point(1, 2),)
    assert by_name.read(by_name.write((("x", True),))) == (("x", True),)
    with pytest.raises(InvalidInput, match=r"^\[1\]\[0\]: an integer from 0 to"):
        both.read([[1, 2], [-1, 2]])
    with pytest.raises(InvalidInput, match=r"\[0\]: a point like \[1, 2\] is needed"):
        both.read([[1, 2, 3]])


def test_bounds() -> None:
    some = items(number("a speed above 0", 0, 9, above=True), at_least=1, at_most=2, what="speeds")
    valid = Draft202012Validator(some.shape()).is_valid

    for document in ([], [1, 2, 3], [0], [10], [True], ["1"]):
        assert not valid(document)
        with pytest.raises(InvalidInput):
            some.read(document)
    assert valid([0.5, 9])
    assert some.read([0.5, 9]) == (0.5, 9)


def _with_repairs(garage: "Garage") -> dict[str, Any]:
    return {one.place: {"inches": one.inches, "repaired": one.place in garage.repaired} for one in garage.wheels}


def _repaired(document: Any) -> tuple[str, ...]:
    return tuple(place for place, wheel in document["wheels"].items() if wheel.get("repaired"))


@record(closed=False)
class OpenWheel:
    place: str = key(NAME)
    inches: int = member(integer(1, 30))


@record
class Garage:
    """`city`: the constructor needs it, the document does not."""

    city: str = member(TEXT, absent="")
    wheels: tuple[OpenWheel, ...] = member(keyed(codec_of(OpenWheel)), write=_with_repairs)
    repaired: tuple[str, ...] = gathered(_repaired, default=())


def test_a_field_may_be_gathered_from_the_json_of_another() -> None:
    garage = Garage("x", (OpenWheel("left", 15), OpenWheel("right", 15)), ("right",))
    written = codec_of(Garage).write(garage)

    assert written == {
        "city": "x",
        "wheels": {"left": {"inches": 15, "repaired": False}, "right": {"inches": 15, "repaired": True}},
    }
    assert codec_of(Garage).read(written) == garage
    assert codec_of(Garage).read({"wheels": {}}) == Garage("", ())
    with pytest.raises(TypeError, match="city"):
        Garage(wheels=())  # type: ignore[call-arg]


@record
class Tow:
    by: str = member(NAME)


@record
class Wash:
    degrees: int = member(integer(0, 95))


KINDS = {"tow": codec_of(Tow), "wash": codec_of(Wash)}


@record
class Job:
    number: int = member(COUNT)
    work: Tow | Wash = spread(tagged("action", "inputs", lambda: KINDS, lambda one: "tow" if isinstance(one, Tow) else "wash"))


def test_a_value_of_several_kinds_says_which_it_is() -> None:
    job = codec_of(Job)
    valid = Draft202012Validator(job.shape()).is_valid
    written = {"number": 1, "action": "wash", "inputs": {"degrees": 40}}

    assert job.write(Job(1, Wash(40))) == written
    assert job.read(written) == Job(1, Wash(40))
    assert valid(written)
    for wrong, said in (
        ({"action": "tow"}, "inputs: the field 'degrees' is unknown"),
        ({"action": "sell"}, "action: one of tow, wash is needed, 'sell' was found"),
        ({"inputs": {"degrees": 96}}, "inputs.degrees: an integer from 0 to 95"),
    ):
        assert not valid(written | wrong)
        with pytest.raises(InvalidInput) as refusal:
            job.read(written | wrong)
        assert said in str(refusal.value)


def test_what_is_read_under_a_wrong_key_is_not_checked_further() -> None:
    """There is no value that a check could look at."""

    def never(point: Point) -> None:
        raise AssertionError(point)

    points = keyed(record_of(Point, check=never, x=key(NAME), y=member(COUNT)))

    with pytest.raises(InvalidInput, match=r"^'': a name is needed"):
        points.read({"": {"y": 1}})


@record(version="1.0")
class Parcel:
    name: str = member(NAME)
    weights: tuple[int, ...] = member(items(COUNT))

    @property
    @derived(COUNT, "All together.", name="grams")
    def weight(self) -> int:
        return sum(self.weights)

    fragile: bool = member(BOOLEAN, default=False)


class TestDerived:
    """What the fields say already is written too, and may not contradict them."""

    def test_it_is_written_where_it_stands(self) -> None:
        written = codec_of(Parcel).write(Parcel("box", (2, 3)))

        assert list(written.items()) == [
            *(("format_version", "1.0"), ("name", "box"), ("weights", [2, 3]), ("grams", 5)),
            ("fragile", False),
        ]
        assert codec_of(Parcel).read(written) == Parcel("box", (2, 3))

    def test_it_may_not_contradict_the_fields(self) -> None:
        written = codec_of(Parcel).write(Parcel("box", (2, 3)))

        with pytest.raises(InvalidInput, match="grams: 6 was found, and the other fields give 5"):
            codec_of(Parcel).read(written | {"grams": 6})
        with pytest.raises(InvalidInput, match="grams"):
            codec_of(Parcel).read(written | {"grams": -1})
        with pytest.raises(InvalidInput, match="grams"):
            codec_of(Parcel).read({name: value for name, value in written.items() if name != "grams"})

    def test_its_schema(self) -> None:
        shape = codec_of(Parcel).shape()

        assert "grams" in shape["required"]
        assert shape["properties"]["grams"]["description"] == "All together."


@record(defaults=True)
class Rental:
    days: int = member(COUNT, default=1, omit=True)
    insured: bool = member(BOOLEAN, "Against all risks.", default=True)
    extras: tuple[str, ...] = member(items(NAME, at_least=1), default=(), omit=True, unsaid=True)


def test_the_schema_says_what_the_absence_of_a_field_means() -> None:
    shape = codec_of(Rental).shape()["properties"]

    assert shape["days"]["default"] == 1
    assert shape["insured"] == {"type": "boolean", "description": "Against all risks.", "default": True}
    assert "default" not in shape["extras"], "no list could be given that means the same"


def test_elsewhere_the_absence_of_a_field_may_mean_something_else() -> None:
    weekly = variant(Rental, either=("days", "insured"), defaults=True, days=7, extras=NEEDED)
    valid = Draft202012Validator(weekly.shape()).is_valid

    assert weekly.read({"extras": ["map"], "insured": False}) == Rental(7, insured=False, extras=("map",))
    assert weekly.write(Rental(7, extras=("map",))) == {"days": 7, "insured": True, "extras": ["map"]}
    assert weekly.write(Rental(1)) == {"insured": True}, "what the constructor takes is not written"
    assert weekly.shape()["properties"]["days"]["default"] == 7
    assert valid({"days": 2, "extras": ["map"]})
    for wrong, said in (({"extras": ["map"]}, "the field 'days' is missing"), ({"days": 2}, "the field 'extras' is missing")):
        assert not valid(wrong)
        with pytest.raises(InvalidInput, match=said):
            weekly.read(wrong)


@record
class LongRental(Rental):
    months: int = member(COUNT, default=1)


def test_a_record_has_the_fields_of_the_one_that_it_extends() -> None:
    assert codec_of(LongRental).write(LongRental(days=3, months=2)) == {"days": 3, "insured": True, "months": 2}
    assert codec_of(LongRental).read({"months": 2}) == LongRental(months=2)


def test_a_document_that_is_only_written_has_a_schema_and_no_reader() -> None:
    bill = written_of(
        Car, version="1.0", name=member(NAME), wheels=member(COUNT, "How many.", write=lambda car: len(car.wheels)), about="A bill."
    )
    valid = Draft202012Validator(bill.shape()).is_valid

    assert bill.write(BEETLE) == {"format_version": "1.0", "name": "beetle", "wheels": 2}
    assert valid(bill.write(BEETLE) | {"more": 1})
    assert not valid({"format_version": "1.0", "name": "beetle"})
    with pytest.raises(AssertionError, match="only written"):
        bill.read(bill.write(BEETLE))
    with pytest.raises(AssertionError, match="Car has no attribute doors"):
        written_of(Car, doors=member(COUNT))


CAR_OR_RENTAL = where_there(("days",), Rental, codec_of(Rental), CAR, "A car, or a rental of one.")


def test_a_value_of_two_kinds_is_known_by_its_fields() -> None:
    valid = Draft202012Validator(CAR_OR_RENTAL.shape()).is_valid

    for one, document in ((Rental(3), {"days": 3, "insured": True}), (BEETLE, WRITTEN)):
        assert CAR_OR_RENTAL.write(one) == document
        assert CAR_OR_RENTAL.read(document) == one
        assert valid(document)
    assert not valid({"days": "3"})
    with pytest.raises(InvalidInput, match="days: an integer is needed"):
        CAR_OR_RENTAL.read({"days": "3"})
    with pytest.raises(InvalidInput, match="an object is needed"):
        CAR_OR_RENTAL.read([])
