"""What travels to Spark's executors: a zip of the parts of this package that need nothing but the standard library.

The same sources always give the same bytes: files in order of name, no times, no compression (whose output may differ by release).
"""

import hashlib
import io
import zipfile
from pathlib import Path

import holdfast

_ADAPTERS = (
    "__init__.py",
    "lake/__init__.py",
    "lake/table_schemas.py",
    "spark/__init__.py",
    "spark/documents.py",
    "spark/earlier_losses.py",
    "spark/executors.py",
    "spark/hadoop_files.py",
    "spark/spark.py",
    "spark/submissions.py",
    "spark/whole_objects.py",
)
TRAVELS = ("__init__.py", "errors.py", "secrecy.py", "kafka", "rollout", *(f"adapters/{name}" for name in _ADAPTERS))
"""What of the adapters travels is for the driver, and the shape of the tables."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can hold."""


def package_zip() -> tuple[str, bytes]:
    """A name that changes with the content, and the zip itself."""
    root = Path(holdfast.__path__[0])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(_files(root)):
            entry = zipfile.ZipInfo(f"holdfast/{path.relative_to(root).as_posix()}", _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    content = buffer.getvalue()
    return f"holdfast-{hashlib.sha256(content).hexdigest()[:16]}.zip", content


def _files(root: Path) -> list[Path]:
    files: list[Path] = []
    for name in TRAVELS:
        place = root / name
        files += place.rglob("*.py") if place.is_dir() else [place]
    return files
