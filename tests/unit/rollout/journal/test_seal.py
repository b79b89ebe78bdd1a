"""Does a signature hold what it promises: this kind of document, these bytes, one of these keys, and no key anywhere to be seen?"""

import pickle

import pytest

from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.journal.seal import FIELD, NO_KEYS, Seal, Sealed, SigningKeys, derived, refuse, seal_of, signed, worst

FIRST, SECOND = "k" * 44, "0123456789abcdef0123456789abcdef"
KEYS = SigningKeys.read(FIRST, "the test")
CONTENT: dict[str, object] = {"plan_id": "0" * 16, "approved": True, "list": [1, 2.5, None, "é"]}


@pytest.mark.parametrize(
    ("key", "salt", "purpose", "length", "expected"),
    [
        (
            b"\x0b" * 22,
            bytes(range(13)),
            bytes(range(0xF0, 0xFA)),
            42,
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            b"\x0b" * 22,
            b"",
            b"",
            42,
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ],
    ids=["case 1", "case 3"],
)
def test_keys_are_derived_as_rfc_5869_has_it(key: bytes, salt: bytes, purpose: bytes, length: int, expected: str) -> None:
    assert derived(key, purpose, length, salt).hex() == expected


def test_what_was_signed_is_known_again() -> None:
    document = signed(CONTENT, Sealed.APPROVAL, KEYS)

    assert seal_of(document, Sealed.APPROVAL, KEYS) is Seal.SIGNED
    assert signed(document, Sealed.APPROVAL, KEYS) == document


@pytest.mark.parametrize(
    "change",
    [
        {"approved": False},
        {"more": 1},
        {"plan_id": "1" * 16},
        {FIELD: {"algorithm": "none", "key": KEYS.derived[0][0], "value": ""}},
        {FIELD: {"algorithm": "HMAC-SHA256", "key": KEYS.derived[0][0], "value": "0" * 64}},
        {FIELD: {"algorithm": "HMAC-SHA256", "key": KEYS.derived[0][0], "value": 1}},
        {FIELD: "yes"},
        {FIELD: []},
    ],
    ids=str,
)
def test_what_was_changed_does_not_match(change: dict[str, object]) -> None:
    assert seal_of(signed(CONTENT, Sealed.APPROVAL, KEYS) | change, Sealed.APPROVAL, KEYS) is Seal.MISMATCH


def test_another_order_is_another_document() -> None:
    document = signed(CONTENT, Sealed.APPROVAL, KEYS)

    assert seal_of(dict(reversed(document.items())), Sealed.APPROVAL, KEYS) is Seal.MISMATCH


def test_a_signature_of_one_kind_is_none_of_another() -> None:
    assert seal_of(signed(CONTENT, Sealed.APPROVAL, KEYS), Sealed.PLAN, KEYS) is Seal.MISMATCH


def test_keys_are_changed_by_putting_the_new_one_first() -> None:
    old = signed(CONTENT, Sealed.PLAN, KEYS)
    both, new = SigningKeys.read(f"{SECOND},{FIRST}", "x"), SigningKeys.read(SECOND, "x")

    assert seal_of(old, Sealed.PLAN, both) is Seal.SIGNED
    assert seal_of(signed(CONTENT, Sealed.PLAN, both), Sealed.PLAN, new) is Seal.SIGNED
    assert seal_of(old, Sealed.PLAN, new) is Seal.ANOTHER_KEY


def test_without_a_key_nothing_is_signed_and_that_is_said() -> None:
    assert FIELD not in signed(CONTENT, Sealed.PLAN, NO_KEYS)
    assert seal_of(signed(CONTENT, Sealed.PLAN, NO_KEYS), Sealed.PLAN, KEYS) is Seal.UNSIGNED
    assert seal_of(signed(CONTENT, Sealed.PLAN, KEYS), Sealed.PLAN, NO_KEYS) is Seal.UNCHECKED
    assert not NO_KEYS
    refuse(Seal.UNSIGNED, "it", NO_KEYS)


@pytest.mark.parametrize("seal", [Seal.UNSIGNED, Seal.MISMATCH, Seal.ANOTHER_KEY])
def test_with_a_key_all_else_is_refused_by_name(seal: Seal) -> None:
    with pytest.raises(StepRefused, match=f"the approval: {seal.value}"):
        refuse(seal, "the approval", KEYS)


def test_the_worst_of_several_counts() -> None:
    assert worst([Seal.SIGNED, Seal.UNSIGNED, Seal.SIGNED]) is Seal.UNSIGNED
    assert worst([Seal.SIGNED]) is Seal.SIGNED
    assert worst([]) is Seal.UNSIGNED


@pytest.mark.parametrize("text", ["", " \n", "short", f"{FIRST},short", ",".join([FIRST + str(n) for n in range(11)]), "x" * 5_000])
def test_what_is_no_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        SigningKeys.read(text, "the key file")
    for part in text.split(","):
        assert not part.strip() or part not in str(refusal.value)


def test_no_key_is_shown() -> None:
    assert repr(KEYS) == str(KEYS) == "SigningKeys(1)"
    assert FIRST not in str(signed(CONTENT, Sealed.PLAN, KEYS))
    assert FIRST.encode() not in pickle.dumps(KEYS)
