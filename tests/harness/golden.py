"""Texts that are held word by word. `GOLDEN_UPDATE=1` writes them anew: read the difference before committing it."""

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from holdfast.rollout.text.document_blocks import Block, to_markdown, to_text
from holdfast.rollout.text.html import to_html

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
MEDIA: Mapping[str, Callable[[Sequence[Block]], str]] = {"md": to_markdown, "txt": to_text, "html": to_html}


def hold(name: str, medium: str, blocks: Sequence[Block]) -> None:
    """Fail where the blocks do not read, in this medium, as the file `name` says."""
    written, golden = MEDIA[medium](blocks), GOLDEN / f"{name}.{medium}"
    if os.environ.get("GOLDEN_UPDATE"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    wanted = golden.read_text(encoding="utf-8")
    lines = difflib.unified_diff(wanted.splitlines(), written.splitlines(), "as before", "now", lineterm="", n=0)
    assert written == wanted, "\n".join(lines)
