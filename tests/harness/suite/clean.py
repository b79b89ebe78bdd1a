"""Files in which a rule of the house found nothing: they are looked at again when they, the rule or the release of Python change.

As ruff and mypy do, each check keeps a list in `.holdfast/clean` of the checkout: without it everything is looked at. New checkouts
begin with the lists of another one (`bin/test`).
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".holdfast" / "clean"
T = TypeVar("T")


def found_in(paths: Iterable[Path], look: Callable[[Path], list[T]], *rule: object, name: str, folder: Path = FOLDER) -> list[T]:
    """All that `look` finds in the files. `rule`: what it goes by: modules as paths, other values as they are."""
    decided = sha256(sys.version.encode())
    for part in rule:
        decided.update(part.read_bytes() if isinstance(part, Path) else repr(part).encode())
    kept = folder / name
    before = frozenset(kept.read_text().split()) if kept.exists() else frozenset()
    clean, found = set(), []
    for path in paths:
        file = decided.copy()
        file.update(f"\0{os.path.relpath(path, ROOT)}\0".encode())
        file.update(path.read_bytes())
        if (digest := file.hexdigest()) not in before and (faults := look(path)):
            found += faults
        else:
            clean.add(digest)
    if clean != before:
        _keep(kept, "\n".join(sorted(clean)))
    return found


def _keep(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as whole:
        whole.write(text)
    Path(whole.name).replace(file)
