"""Archives of loaded classes (the JVM's class data sharing), cached for all checkouts: with one a JVM starts at less cost,
and runs the same code.

A JVM takes an archive only for the class path that it was made for, in which there are jars alone; it goes without one otherwise.
"""

import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.harness.kafka.maven import CACHE, digest, java_tool, locked

QUIET = "-Xlog:cds=off,cds+dynamic=off"
"""A JVM that goes without its archive does not say so in its log."""


def options(class_path: str, load: Callable[[Sequence[str]], None], kind: str = "") -> tuple[str, ...]:
    """What a JVM with this class path is started with. `load`: where there is no archive yet, starts one with these options, has it
    load what matters, and ends it by SIGTERM. `kind`: the begin of the archive's name."""
    java = Path(java_tool("java")).resolve()
    archive = CACHE / "classes" / f"{kind}{digest(f'{java} {java.stat().st_mtime_ns} {class_path}')}.jsa"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        with locked(f"classes/{archive.stem}"):
            if not archive.exists():
                _make(archive, load)
    return (f"-XX:SharedArchiveFile={archive}", QUIET) if archive.stat().st_size else ()


def _make(archive: Path, load: Callable[[Sequence[str]], None]) -> None:
    """Empty where this JVM makes none."""
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix="making-") as folder:
        made = Path(folder) / archive.name
        load((f"-XX:ArchiveClassesAtExit={made}", QUIET))
        if not made.exists():
            made.touch()
        made.rename(archive)


def jar_of(classes: Path) -> Path:
    """A folder of compiled classes as a jar, next to it."""
    jar = classes.with_name(f"{classes.name}.jar")
    if not jar.exists():
        with locked(f"java/{classes.name}"), tempfile.TemporaryDirectory(dir=classes.parent, prefix="packing-") as folder:
            packed = Path(folder) / jar.name
            with zipfile.ZipFile(packed, "w") as found:
                for path in sorted(classes.rglob("*.class")):
                    found.write(path, path.relative_to(classes))
            packed.rename(jar)
    return jar
