"""Texts and UUIDs that have a given hash code in Java: what stands for a name where its hash code decides.

A hash code is a sum modulo 2^32 with a term for each letter. The terms of the last letters are tabulated, those of the letters
before them are tried. All is a function of what is kept, so that a name is replaced by the same every time.
"""

import functools
from collections.abc import Sequence
from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId

LETTERS = "abcdefghijklmnopqrstuvwxyz"
HEX = "0123456789abcdef"
TAIL = 9
"""Letters that give any hash code: there are a thousand texts of them for each."""
_TABLED, _TRIED, _ATTEMPTS = 2**20, 2**12, 200
_MASK = 2**32 - 1
_Sums = NDArray[np.uint64]


def tail(before: str, code: int, alphabets: Sequence[str] = (LETTERS,) * TAIL) -> str:
    """A text with one letter of each alphabet that, put behind `before`, gives it this hash code (`String.hashCode`)."""
    weights = _powers(len(alphabets))
    wanted = (code - java.string_hash(before) * pow(31, len(alphabets), 2**32)) & _MASK
    split = _split(tuple(alphabets))
    sums, choices = _table(tuple(alphabets[split:]))
    first = [np.array([ord(one) * weights[place] & _MASK for one in alphabets[place]], np.uint64) for place in range(split)]
    for attempt in range(_ATTEMPTS):
        drawn = _drawn(f"tail/{before}/{code}/{attempt}", split)
        picked = [drawn[:, place] % len(alphabets[place]) for place in range(split)]
        total = sum((first[place][picked[place]] for place in range(split)), np.zeros(len(drawn), np.uint64))
        hit = _hit(wanted, total, sums)
        if hit is not None:
            row, entry = hit
            head = "".join(alphabets[place][int(picked[place][row])] for place in range(split))
            return head + _spelt(int(choices[entry]), alphabets[split:])
    raise CannotPredict(f"No name with the hash code {code} was found.")


def ended(text: str, code: int) -> str:
    """`text`, a dash and letters that give it this hash code."""
    return f"{text}-{tail(f'{text}-', code)}"


def uuid_text(before: str, start: str, code: int) -> str:
    """A random-looking UUID that begins with the 8 digits `start` and gives `before`, put in front of it, this hash code."""
    digits = _spelt(_number(f"uuid/{before}/{start}/{code}") % 16**10, (HEX,) * 10)
    head = f"{start}-{digits[:4]}-4{digits[4:7]}-{'89ab'[int(digits[7], 16) % 4]}{digits[7:10]}-"
    return head + tail(before + head, code, (HEX,) * 12)


def process_id(start: str, code: int, text_code: int) -> str:
    """A random-looking UUID that begins with the 8 digits `start`, of these hash codes: its own (`UUID.hashCode`), its text's.

    Its own is the exclusive or of its four words, digit by digit. In the places of `_PAIRED` the first and the third word make up
    for it, so that the second and the fourth have the same digit; their terms are tabulated.
    """
    own, first = _digits(code & _MASK), _digits(int(start, 16))
    sums, choices = _pairs()
    for attempt in range(_ATTEMPTS):
        drawn = _drawn(f"process/{start}/{code}/{text_code}/{attempt}", 16) % 16
        second, third = drawn[:, :8].astype(np.int64), drawn[:, 8:].astype(np.int64)
        second[:, 4], third[:, 0] = 4, 8 | third[:, 0] & 3  # the version and the variant of a random UUID
        for place in _PAIRED:
            second[:, place], third[:, place] = 0, first[place] ^ own[place]
        fourth = np.array(first) ^ second ^ third ^ np.array(own)
        counted = np.concatenate([np.tile(first, (len(drawn), 1)), second, third, fourth], axis=1)
        weights = np.array([0 if at in _LEFT_OUT else weight for at, weight in enumerate(_WEIGHTS)], np.uint64)
        total = (_VALUES[counted] * weights & np.uint64(_MASK)).sum(axis=1, dtype=np.uint64)
        hit = _hit((text_code - _DASHES) & _MASK, total, sums)
        if hit is not None:
            row, entry = hit
            word = [*second[row]], [*fourth[row]]
            for place, letter in zip(_PAIRED, _spelt(int(choices[entry]), (HEX,) * len(_PAIRED)), strict=True):
                word[0][place] = word[1][place] = int(letter, 16)
            text = "".join(HEX[int(one)] for one in (*first, *word[0], *third[row], *word[1]))
            return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
    raise CannotPredict(f"No process ID with the hash codes {code} and {text_code} was found.")


def codes_of(process_id: ProcessId) -> tuple[int, int]:
    """Its own hash code, and that of its text."""
    return java.uuid_hash(process_id.bits), java.string_hash(str(process_id))


_PAIRED = (1, 2, 3, 5, 6)
"""Digits of the second and the fourth word that are the same, whatever the rest is."""
_LEFT_OUT = frozenset(word * 8 + place for word in (1, 3) for place in _PAIRED)
_AT = [*range(8), *range(9, 13), *range(14, 18), *range(19, 23), *range(24, 36)]
"""Where the digits are in the text of a UUID."""
_WEIGHTS = [pow(31, 35 - at, 2**32) for at in _AT]
_DASHES = sum(ord("-") * pow(31, 35 - at, 2**32) for at in (8, 13, 18, 23)) & _MASK
_VALUES = np.array([ord(one) for one in HEX], np.uint64)


def _digits(word: int) -> list[int]:
    return [word >> shift & 15 for shift in range(28, -4, -4)]


def _powers(count: int) -> list[int]:
    return [pow(31, exponent, 2**32) for exponent in reversed(range(count))]


def _split(alphabets: tuple[str, ...]) -> int:
    """From which letter on all combinations are tabulated."""
    size, split = 1, len(alphabets)
    while split and size * len(alphabets[split - 1]) <= _TABLED:
        split -= 1
        size *= len(alphabets[split])
    return split


@functools.cache
def _table(alphabets: tuple[str, ...]) -> tuple[_Sums, NDArray[np.int64]]:
    terms = [
        np.array([ord(one) * weight for one in letters], np.uint64)
        for letters, weight in zip(alphabets, _powers(len(alphabets)), strict=True)
    ]
    return _sorted_sums(terms)


@functools.cache
def _pairs() -> tuple[_Sums, NDArray[np.int64]]:
    return _sorted_sums([_VALUES * np.uint64((_WEIGHTS[8 + place] + _WEIGHTS[24 + place]) & _MASK) for place in _PAIRED])


def _sorted_sums(terms: Sequence[_Sums]) -> tuple[_Sums, NDArray[np.int64]]:
    """The sums of one term of each, and which combination each is: its digits are the terms, the last one counts least."""
    sums = np.zeros(1, np.uint64)
    for one in terms:
        sums = ((sums[:, None] + one[None, :]) & np.uint64(_MASK)).ravel()
    order = np.argsort(sums, kind="stable")
    return sums[order], order.astype(np.int64)


def _hit(wanted: int, total: _Sums, sums: _Sums) -> tuple[int, int] | None:
    needed = (np.uint64(wanted + 2**32) - (total & np.uint64(_MASK))) & np.uint64(_MASK)
    entries = np.minimum(np.searchsorted(sums, needed), len(sums) - 1)
    rows = np.flatnonzero(sums[entries] == needed)
    return (int(rows[0]), int(entries[rows[0]])) if len(rows) else None


def _spelt(number: int, alphabets: Sequence[str]) -> str:
    """The letters of a combination."""
    found = []
    for letters in reversed(alphabets):
        number, at = divmod(number, len(letters))
        found.append(letters[at])
    return "".join(reversed(found))


def _drawn(seed: str, columns: int) -> NDArray[np.uint64]:
    count = _TRIED if columns else 1
    drawn = shake_256(seed.encode("utf-8", "surrogatepass")).digest(2 * count * columns)
    return np.frombuffer(drawn, ">u2").reshape(count, columns).astype(np.uint64)


def _number(seed: str) -> int:
    return int.from_bytes(shake_256(seed.encode("utf-8", "surrogatepass")).digest(16))
