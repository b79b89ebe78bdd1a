"""Texts of a snapshot that name nothing if they are what Kafka says there; any other is replaced."""

import re

from holdfast.rollout.redaction.settings import REPLACED

_RELEASE = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}", re.ASCII)
_STATES = ("Stable", "Empty", "Dead", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "NotReady")
_PROTOCOLS = ("stream", "range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "classic", "consumer")
_WORDS = frozenset((*_STATES, *_PROTOCOLS))


def release(text: str | None) -> str | None:
    """As numbers. Another one is not covered, and what stands for it is not either."""
    return text if text is None or _RELEASE.fullmatch(text) else REPLACED


def word(text: str | None) -> str | None:
    """A state of a group, a protocol, or an assignor."""
    return text if text is None or text in _WORDS else REPLACED
