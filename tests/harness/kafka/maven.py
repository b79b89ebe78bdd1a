"""Published jars, through the machine's ordinary Maven, and Java sources of Holdfast's compiled against them.

Both are cached below `<checkout>/.holdfast/`; a cached class path is used only while each of its jars is still there.
Anything missing (Maven, a JDK, the registry, a release that does not exist) raises MissingPart, which says what.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
CACHE = CHECKOUT / ".holdfast"
SIMPLE_LOGGING = "org.slf4j:slf4j-simple:1.7.36"
"""Logs to standard error, steered by `-Dorg.slf4j.simpleLogger.…`. Kafka 2.6 to 4.3 all speak SLF4J 1.7."""

_PLUGIN = "3.8.1"  # of maven-dependency-plugin; works with Maven 3.6.3 and later
_RESOLVE_SECONDS = 600
_COMPILE_SECONDS = 300
_ATTEMPTS = 2  # a registry that drops a connection is asked once more


class MissingPart(RuntimeError):
    """A test needs something that is not here. The message names it and says how to get it."""


def classpath(*coordinates: str) -> str:
    """The runtime class path of `group:artifact:version[:classifier]` coordinates, dependencies included, in Maven's order.

    Raise MissingPart when Maven is not there, or cannot resolve them.
    """
    pom = _pom(coordinates)
    cached = CACHE / "maven" / f"{_digest(pom)}.classpath"
    found = _usable(cached)
    if found:
        return found
    with _locked("maven"):
        found = _usable(cached)  # another process may have resolved it meanwhile
        if found:
            return found
        text = _resolve(pom, coordinates)
        _write(cached, text)
    found = _usable(cached)
    if not found:
        raise MissingPart(f"Maven named jars for {', '.join(coordinates)} that are not there: {_first_absent(text)}")
    return found


def kafka_streams(release: str) -> str:
    """The class path of Kafka Streams of that release, with simple logging."""
    return classpath(f"org.apache.kafka:kafka-streams:{release}", SIMPLE_LOGGING)


def compile_java(sources: Path, against: str, release: int = 11) -> Path:
    """The folder of classes of all `*.java` below `sources`, compiled against a class path; cached by the digest of both.

    Raise MissingPart without a JDK, and RuntimeError with javac's own words when the sources do not compile.
    """
    files = sorted(sources.rglob("*.java"))
    if not files:
        raise MissingPart(f"There is no Java source below {sources}.")
    texts = [path.relative_to(sources).as_posix() + "\n" + path.read_text(encoding="utf-8") for path in files]
    classes = CACHE / "java" / _digest("\0".join([str(release), against, *texts]))
    if classes.is_dir():
        return classes
    javac = java_tool("javac")
    with _locked("java"):
        if classes.is_dir():
            return classes
        classes.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=classes.parent, prefix="compiling-") as folder:
            built = Path(folder) / "classes"
            command = [javac, "--release", str(release), "-nowarn", "-cp", against, "-d", str(built), *map(str, files)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_SECONDS, check=False)
            if done.returncode:
                raise RuntimeError(f"javac could not compile {sources}:\n{done.stdout}{done.stderr}")
            built.rename(classes)
    return classes


def java_tool(name: str) -> str:
    """The path of `java` or `javac`: JAVA_HOME's if it is set, else the one on PATH. Raise MissingPart if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin") if home else None
    found = found or shutil.which(name)
    if not found:
        raise MissingPart(f"There is no {name} on PATH. Install a JDK 17 or newer (Debian: default-jdk-headless).")
    return found


def _resolve(pom: str, coordinates: tuple[str, ...]) -> str:
    maven = shutil.which("mvn")
    if not maven:
        raise MissingPart(f"There is no mvn on PATH to get {', '.join(coordinates)} with. Install Maven (Debian: maven).")
    with tempfile.TemporaryDirectory(prefix="holdfast-maven-") as folder:
        project, output = Path(folder) / "pom.xml", Path(folder) / "classpath"
        project.write_text(pom, encoding="utf-8")
        goal = f"org.apache.maven.plugins:maven-dependency-plugin:{_PLUGIN}:build-classpath"
        command = [
            maven,
            "-q",
            "-B",
            "-U",
            "-Dstyle.color=never",
            "-f",
            str(project),
            goal,
            "-DincludeScope=runtime",
            f"-Dmdep.outputFile={output}",
        ]
        said = ""
        for _ in range(_ATTEMPTS):
            done = subprocess.run(command, capture_output=True, text=True, timeout=_RESOLVE_SECONDS, check=False)
            if done.returncode == 0:
                return output.read_text(encoding="utf-8").strip()
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[:12])
    raise MissingPart(
        f"Maven could not get {', '.join(coordinates)}: no such release, or its registry is out of reach. It said:\n{said}"
    )


def _pom(coordinates: tuple[str, ...]) -> str:
    names = ("groupId", "artifactId", "version", "classifier")
    dependencies = []
    for coordinate in coordinates:
        parts = zip(names, coordinate.split(":"), strict=False)  # few have a classifier
        dependencies.append(f"    <dependency>{''.join(f'<{name}>{part}</{name}>' for name, part in parts)}</dependency>\n")
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0">\n  <modelVersion>4.0.0</modelVersion>\n'
        "  <groupId>holdfast</groupId><artifactId>harness</artifactId><version>1</version>\n"
        f"  <dependencies>\n{''.join(dependencies)}  </dependencies>\n</project>\n"
    )


def _usable(cached: Path) -> str | None:
    try:
        text = cached.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return text if text and _first_absent(text) is None else None


def _first_absent(text: str) -> str | None:
    return next((jar for jar in text.split(os.pathsep) if not Path(jar).is_file()), None)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    next_to_it = path.with_name(f"{path.name}.{os.getpid()}")
    next_to_it.write_text(text, encoding="utf-8")
    next_to_it.replace(path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """Held by one process of this checkout at a time: Maven's local repository does not like two writers."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
