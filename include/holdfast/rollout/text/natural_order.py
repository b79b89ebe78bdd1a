"""Names in the order in which people count them."""

import re


def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """app-2 before app-10."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", name)
    return tuple(
        (True, int(part), "") if part.isascii() and part.isdigit() and len(part) <= 18 else (False, 0, part) for part in parts
    )
