"""URLs that people configure, in parts."""

from urllib.parse import SplitResult, urlsplit


def parts_of(url: str) -> SplitResult | None:
    """None: it is malformed, as half of an address in brackets is, or a port that is no number."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # checked only when it is asked for
    except ValueError:
        return None
    return parts
