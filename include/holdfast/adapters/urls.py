"""URLs that people configure, in parts."""

from urllib.parse import SplitResult, urlsplit


def parts_of(url: str) -> SplitResult | None:
    """None: it is malformed, as half of an address in brackets is, a port that is no number, or a control character."""
    if any(ord(one) < 32 for one in url):  # urlsplit drops some of them: another URL than the given one
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # checked only when it is asked for
    except ValueError:
        return None
    return parts
