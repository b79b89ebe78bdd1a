"""Which topics a member's regular expression matches: `com.google.re2j.Pattern`, with which a coordinator resolves it.

RE2's syntax is matched by an automaton in linear time, as RE2 does: an expression comes from a client, and Python's own `re` could
take for ever over it. What RE2 knows and this does not (Unicode classes, other flags than a leading `(?i)`) is refused by name.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from holdfast.errors import InvalidInput, Unsupported

_LONGEST = 4_096
_MOST_STATES = 20_000
_MOST_REPEATS = 1_000  # RE2's own limit
_DEEPEST = 100
"""Groups within each other: each is some calls within each other here."""
_LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
_DIGITS: Ranges = ((48, 57),)
_WORD: Ranges = (*_DIGITS, (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 10), (12, 13), (32, 32))
_PERL = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_POSIX: dict[str, Ranges] = {
    "alnum": (*_DIGITS, (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _DIGITS,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": _WORD,
    "xdigit": (*_DIGITS, (65, 70), (97, 102)),
}
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_EXCEPT_NEWLINE: Ranges = ((0, 9), (11, _LAST))
_ASSERTIONS = {"A": "begin", "z": "end", "b": "boundary", "B": "no boundary"}


def matching(regex: str, topics: Iterable[str]) -> tuple[str, ...]:
    """The topics that match as a whole. Raise InvalidInput for what is no regular expression of RE2, Unsupported for what is one
    and is not modelled."""
    automaton = _Parser(regex).automaton()
    return tuple(topic for topic in topics if automaton.matches(topic))


@dataclass(slots=True)
class _State:
    """`ranges`: it takes one of these characters; else it takes none, and `assertion`, if any, has to hold."""

    ranges: Ranges | None = None
    assertion: str | None = None
    next: list[int] = field(default_factory=list)


class _Automaton:
    """Built back to front: `add` is given where a state leads to."""

    def __init__(self) -> None:
        self.states: list[_State] = [_State()]  # the first one is the end
        self.start = 0

    def add(self, *targets: int, ranges: Ranges | None = None, assertion: str | None = None) -> int:
        if len(self.states) >= _MOST_STATES:
            raise Unsupported(f"a regular expression of more than {_MOST_STATES:,} states is not covered")
        self.states.append(_State(ranges, assertion, list(targets)))
        return len(self.states) - 1

    def matches(self, text: str) -> bool:
        here = self._reached([self.start], text, 0)
        for place, character in enumerate(text):
            code = ord(character)
            taken = [
                target
                for number in here
                for target in self.states[number].next
                if any(low <= code <= high for low, high in self.states[number].ranges or ())
            ]
            here = self._reached(taken, text, place + 1)
        return 0 in here

    def _reached(self, numbers: Sequence[int], text: str, place: int) -> set[int]:
        """Without taking a character."""
        found: set[int] = set()
        waiting = list(numbers)
        while waiting:
            number = waiting.pop()
            if number in found:
                continue
            found.add(number)
            state = self.states[number]
            if state.ranges is None and (state.assertion is None or _holds(state.assertion, text, place)):
                waiting += state.next
        return found


def _holds(assertion: str, text: str, place: int) -> bool:
    if assertion == "begin":
        return place == 0
    if assertion == "end":
        return place == len(text)
    sides = [0 <= side < len(text) and _within(ord(text[side]), _WORD) for side in (place - 1, place)]
    return (sides[0] != sides[1]) == (assertion == "boundary")


def _within(code: int, ranges: Ranges) -> bool:
    return any(low <= code <= high for low, high in ranges)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of an expression: `kind` is "set", "assertion", "sequence", "either" or "repeat"."""

    kind: str
    parts: "tuple[_Part, ...]" = ()
    ranges: Ranges = ()
    assertion: str = ""
    least: int = 0
    most: int | None = None


class _Parser:
    def __init__(self, regex: str) -> None:
        if len(regex) > _LONGEST:
            raise Unsupported(f"a regular expression of more than {_LONGEST} characters is not covered")
        self._text, self._at, self._depth = regex, 0, 0
        self._any_case = regex.startswith("(?i)")
        if self._any_case:
            self._at = 4

    def automaton(self) -> _Automaton:
        whole = self._either()
        if self._at < len(self._text):
            raise self._wrong("a ')' closes nothing")
        built = _Automaton()
        built.start = _build(built, whole, 0)
        return built

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"it is no regular expression of RE2: {what}, at character {self._at + 1}")

    def _peek(self, ahead: int = 1) -> str:
        return self._text[self._at : self._at + ahead]

    def _take(self, count: int = 1) -> str:
        taken = self._peek(count)
        if len(taken) < count:
            raise self._wrong("it ends too early")
        self._at += count
        return taken

    def _either(self) -> _Part:
        options = [self._sequence()]
        while self._peek() == "|":
            self._take()
            options.append(self._sequence())
        return options[0] if len(options) == 1 else _Part("either", tuple(options))

    def _sequence(self) -> _Part:
        parts = []
        while self._peek() not in ("", "|", ")"):
            part = self._quoted() if self._peek(2) == "\\Q" else self._repeated(self._atom())
            parts.append(part)
        return _Part("sequence", tuple(parts))

    def _quoted(self) -> _Part:
        self._take(2)
        end = self._text.find("\\E", self._at)
        literal = self._text[self._at : end if end >= 0 else len(self._text)]
        self._at += len(literal) + (2 if end >= 0 else 0)
        parts = [self._literal(ord(one)) for one in literal]
        if parts:
            parts[-1] = self._repeated(parts[-1])
        return _Part("sequence", tuple(parts))

    def _literal(self, code: int) -> _Part:
        return self._set(((code, code),))

    def _set(self, ranges: Ranges) -> _Part:
        return _Part("set", ranges=_in_any_case(ranges) if self._any_case else ranges)

    def _atom(self) -> _Part:
        one = self._take()
        if one == "(":
            return self._group()
        if one == "[":
            return self._class()
        if one == ".":
            return _Part("set", ranges=_EXCEPT_NEWLINE)
        if one in "^$":
            return _Part("assertion", assertion="begin" if one == "^" else "end")
        if one in "*+?":
            raise self._wrong(f"there is nothing that {one!r} could repeat")
        if one == "\\":
            return self._escaped()
        return self._literal(ord(one))

    def _group(self) -> _Part:
        if self._peek() == "?":
            if self._peek(2) == "?:":
                self._take(2)
            elif self._peek(3) == "?P<" or self._peek(2) == "?<":
                end = self._text.find(">", self._at)
                if end < 0:
                    raise self._wrong("the name of a group does not end")
                self._at = end + 1
            else:
                raise Unsupported(f"the group '({self._peek(4)}' of a regular expression is not covered")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unsupported(f"a regular expression with more than {_DEEPEST} groups within each other is not covered")
        inner = self._either()
        if self._peek() != ")":
            raise self._wrong("a '(' is not closed")
        self._take()
        self._depth -= 1
        return inner

    def _escaped(self) -> _Part:
        one = self._take()
        if one in _ASSERTIONS:
            return _Part("assertion", assertion=_ASSERTIONS[one])
        if one.lower() in _PERL:
            ranges = _PERL[one.lower()]
            return _Part("set", ranges=ranges if one.islower() else _others(ranges))
        return self._literal(self._code(one))

    def _code(self, one: str) -> int:
        """Of the character that an escape stands for."""
        if one in _CONTROL:
            return _CONTROL[one]
        if one == "x":
            digits = self._hexadecimal()
            try:
                code = int(digits, 16)
            except ValueError:
                raise self._wrong(f"'\\x{digits}' is no character") from None
            if code <= _LAST:
                return code
        if one.isascii() and not one.isalnum():
            return ord(one)
        if one in "pPC" or one.isdigit():
            raise Unsupported(f"'\\{one}' in a regular expression is not covered")
        raise self._wrong(f"'\\{one}' means nothing")

    def _hexadecimal(self) -> str:
        if self._peek() != "{":
            return self._take(2)
        end = self._text.find("}", self._at)
        if end < 0:
            raise self._wrong("a '{' is not closed")
        digits = self._text[self._at + 1 : end]
        self._at = end + 1
        return digits

    def _class(self) -> _Part:
        negated = self._peek() == "^"
        if negated:
            self._take()
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self._peek() != "]":
            ranges += self._class_part(first=first)
            first = False
        self._take()
        found = tuple(ranges)
        if self._any_case:
            found = _in_any_case(found)
        return _Part("set", ranges=_others(found) if negated else found)

    def _class_part(self, *, first: bool) -> Iterator[tuple[int, int]]:
        if self._peek(2) == "[:" and ":]" in self._text[self._at :]:
            name = self._text[self._at + 2 : self._text.index(":]", self._at)]
            if name.removeprefix("^") not in _POSIX:
                raise self._wrong(f"there is no class '[:{name}:]'")
            self._at += len(name) + 4
            ranges = _POSIX[name.removeprefix("^")]
            yield from _others(ranges) if name.startswith("^") else ranges
            return
        if self._peek() == "\\" and self._peek(2)[1:].lower() in _PERL:
            one = self._take(2)[1]
            yield from _PERL[one.lower()] if one.islower() else _others(_PERL[one.lower()])
            return
        if self._peek() == "-" and not first and self._peek(2)[1:] not in ("]", ""):
            raise self._wrong("a '-' is no range")
        low = self._class_character()
        high = low
        if self._peek() == "-" and self._peek(2)[1:] not in ("]", ""):
            self._take()
            high = self._class_character()
            if high < low:
                raise self._wrong("a range ends before it begins")
        yield low, high

    def _class_character(self) -> int:
        one = self._take()
        return self._code(self._take()) if one == "\\" else ord(one)

    def _repeated(self, part: _Part) -> _Part:
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() == "?":  # as few as possible: whether it matches is the same
            self._take()
        after = self._at
        if self._bounds() is not None:
            self._at = after
            raise self._wrong("one repetition follows another")
        return _Part("repeat", (part,), least=bounds[0], most=bounds[1])

    def _bounds(self) -> tuple[int, int | None] | None:
        one = self._peek()
        if one and one in "*+?":
            self._take()
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[one]
        end = self._text.find("}", self._at)
        if one != "{" or end < 0:
            return None
        low, comma, high = self._text[self._at + 1 : end].partition(",")
        if not all(each.isascii() and each.isdigit() for each in (low, *([high] if high else []))):
            return None  # to RE2 it is what is written
        least = int(low[:6])
        most = (int(high[:6]) if high else None) if comma else least
        if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
            raise self._wrong(f"'{self._text[self._at : end + 1]}' is no number of repetitions")
        self._at = end + 1
        return least, most


def _in_any_case(ranges: Ranges) -> Ranges:
    """With the other case of ASCII letters: topics have no others."""
    found = list(ranges)
    for low, high in ranges:
        for first, last, by in ((65, 90, 32), (97, 122, -32)):
            if low <= last and high >= first:
                found.append((max(low, first) + by, min(high, last) + by))
    return tuple(found)


def _others(ranges: Ranges) -> Ranges:
    found = []
    at = 0
    for low, high in sorted(ranges):
        if low > at:
            found.append((at, low - 1))
        at = max(at, high + 1)
    return (*found, (at, _LAST))


def _build(automaton: _Automaton, part: _Part, then: int) -> int:
    """Add the states of a part that leads to `then`. Return where it begins."""
    if part.kind == "set":
        return automaton.add(then, ranges=part.ranges)
    if part.kind == "assertion":
        return automaton.add(then, assertion=part.assertion)
    if part.kind == "either":
        return automaton.add(*(_build(automaton, one, then) for one in part.parts))
    if part.kind == "sequence":
        for one in reversed(part.parts):
            then = _build(automaton, one, then)
        return then
    (inner,) = part.parts
    if part.most is None:
        loop = automaton.add(then)
        automaton.states[loop].next.append(_build(automaton, inner, loop))
        then = loop
    else:
        end = then
        for _ in range(part.most - part.least):
            then = automaton.add(end, _build(automaton, inner, then))
    for _ in range(part.least):
        then = _build(automaton, inner, then)
    return then
