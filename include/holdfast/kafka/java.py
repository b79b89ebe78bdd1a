"""Java's own arithmetic and orders, each in one place, with the Java class it follows.

The golden values of the tests come from a JVM (tests/conformance).
"""

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1


def signed_long(unsigned: int) -> int:
    """The 64 low bits of `unsigned` as a Java long."""
    unsigned &= 2**64 - 1
    return unsigned - 2**64 if unsigned >= 2**63 else unsigned


def signed_halves(bits: int) -> tuple[int, int]:
    """The 128 bits of a UUID as `java.util.UUID.compareTo` sees them: two signed longs, most significant first."""
    return signed_long(bits >> 64), signed_long(bits)


def string_order(text: str) -> bytes:
    """A sort key that orders as `java.lang.String.compareTo`: by UTF-16 code unit, not by code point."""
    return text.encode("utf-16-be", "surrogatepass")
