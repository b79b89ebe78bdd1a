"""Published jars, through the machine's ordinary Maven, and Java sources of Holdfast's compiled against them.

Both are cached for all checkouts of a user; a cached class path is used only while each of its jars is still there.
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

from tests.harness.kafka import javac

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast"
SIMPLE_LOGGING = "org.slf4j:slf4j-simple:1.7.36"
"""Logs to standard error, steered by `-Dorg.slf4j.simpleLogger.…`. Kafka 2.6 to 4.3 all speak SLF4J 1.7."""

JACKSON = "com.fasterxml.jackson.core:jackson-databind:2.19.0"
_STREAMS = (
    *("2.6.3", "2.7.2", "2.8.1", "2.8.2", "3.0.0", "3.0.2", "3.1.2", "3.2.3", "3.4.0", "3.4.1", "3.5.1", "3.5.2", "3.6.2", "3.7.0"),
    *("3.7.2", "3.8.1", "3.9.1", "4.0.1", "4.1.1", "4.2.1", "4.3.1"),
)
_COORDINATORS = ("4.2.0", "4.2.1", "4.3.0", "4.3.1", "4.4.0")
_BROKERS = ("2.8.2", "3.9.1", "4.2.1", "4.3.1", "4.4.0")
_OF_THE_SUITE = (
    *((f"org.apache.kafka:kafka-streams:{release}", SIMPLE_LOGGING) for release in _STREAMS),
    *((f"org.apache.kafka:kafka-group-coordinator:{release}", JACKSON, SIMPLE_LOGGING) for release in _COORDINATORS),
    *((f"org.apache.kafka:kafka_2.13:{release}", SIMPLE_LOGGING) for release in _BROKERS),
)
"""What a whole run needs, resolved by one start of Maven, which takes longer than a class path; others are resolved alone."""

_PLUGIN = "3.8.1"  # of maven-dependency-plugin; works with Maven 3.6.3 and later
_RESOLVE_SECONDS = 600
_ATTEMPTS = 2  # a registry that drops a connection is asked once more


class MissingPart(RuntimeError):
    """A test needs something that is not here. The message names it and says how to get it."""


def classpath(*coordinates: str) -> str:
    """The runtime class path of `group:artifact:version[:classifier]` coordinates, dependencies included, in Maven's order.

    Raise MissingPart when Maven is not there, or cannot resolve them.
    """
    found = _usable(_cached(coordinates))
    if found:
        return found
    with locked("maven"):
        found = _usable(_cached(coordinates))  # another process may have resolved it meanwhile
        if found:
            return found
        beside = _OF_THE_SUITE if coordinates in _OF_THE_SUITE else ()
        wanted = [coordinates, *(each for each in beside if each != coordinates and not _usable(_cached(each)))]
        try:
            text = _resolve(wanted)
        except MissingPart:  # of all of them, it may be that only others are out of reach
            text = _resolve([coordinates])
    found = _usable(_cached(coordinates))
    if not found:
        raise MissingPart(f"Maven named jars for {', '.join(coordinates)} that are not there: {_first_absent(text)}")
    return found


def of_pom(pom: Path) -> str:
    """The runtime class path of a project, less what it excludes; cached by the text of its pom. Raise MissingPart."""
    coordinates = (pom.read_text(encoding="utf-8"),)
    found = _usable(_cached(coordinates))
    if found:
        return found
    goal = f"org.apache.maven.plugins:maven-dependency-plugin:{_PLUGIN}:build-classpath"
    with locked("maven"), tempfile.TemporaryDirectory(prefix="holdfast-maven-") as folder:
        output = Path(folder) / "classpath"
        command = ["mvn", "-q", "-B", "-f", str(pom), goal, "-DincludeScope=runtime", f"-Dmdep.outputFile={output}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_RESOLVE_SECONDS, check=False)
        if done.returncode != 0:
            raise MissingPart(f"Maven could not get what {pom} names. It said:\n{(done.stdout + done.stderr)[:2_000]}")
        _write(_cached(coordinates), output.read_text(encoding="utf-8").strip())
    return _usable(_cached(coordinates)) or ""


def kafka_streams(release: str) -> str:
    """The class path of Kafka Streams of that release, with simple logging."""
    return classpath(f"org.apache.kafka:kafka-streams:{release}", SIMPLE_LOGGING)


def compile_java(sources: Path | tuple[Path, ...], against: str, release: int = 11) -> Path:
    """The folder of classes of all `*.java` below `sources` (a folder, or several that make one whole), compiled against a class
    path; cached by the digest of both.

    Raise MissingPart without a JDK, and RuntimeError with javac's own words when the sources do not compile.
    """
    folders = (sources,) if isinstance(sources, Path) else sources
    found = [(path, path.relative_to(folder)) for folder in folders for path in sorted(folder.rglob("*.java"))]
    files = [path for path, _ in found]
    if not files:
        raise MissingPart(f"There is no Java source below {sources}.")
    texts = [name.as_posix() + "\n" + path.read_text(encoding="utf-8") for path, name in found]
    classes = CACHE / "java" / digest("\0".join([str(release), against, *texts]))
    if classes.is_dir():
        return classes
    java_tool("javac")  # a JRE has none: the error says so
    classes.parent.mkdir(parents=True, exist_ok=True)
    with locked(f"java/{classes.name}"):
        if classes.is_dir():
            return classes
        with tempfile.TemporaryDirectory(dir=classes.parent, prefix="compiling-") as folder:
            built = Path(folder) / "classes"
            arguments = ["--release", str(release), "-nowarn", "-cp", against, "-d", str(built), *map(str, files)]
            problem = javac.problem_of(java_tool("java"), arguments)
            if problem is not None:
                raise RuntimeError(f"javac could not compile {sources}:\n{problem}")
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


def _resolve(wanted: list[tuple[str, ...]]) -> str:
    """The class path of the first. All of them are cached then; each is a module of one project."""
    maven = shutil.which("mvn")
    names = f"{', '.join(wanted[0])}{f' and {len(wanted) - 1} more' if len(wanted) > 1 else ''}"
    if not maven:
        raise MissingPart(f"There is no mvn on PATH to get {names} with. Install Maven (Debian: maven).")
    with tempfile.TemporaryDirectory(prefix="holdfast-maven-") as folder:
        project = Path(folder)
        for number, coordinates in enumerate(wanted):
            (project / str(number)).mkdir()
            (project / str(number) / "pom.xml").write_text(_pom(coordinates), encoding="utf-8")
        modules = "".join(f"<module>{number}</module>" for number in range(len(wanted)))
        (project / "pom.xml").write_text(_project("all", f"  <packaging>pom</packaging>\n  <modules>{modules}</modules>\n"))
        goal = f"org.apache.maven.plugins:maven-dependency-plugin:{_PLUGIN}:build-classpath"
        command = [
            maven,
            "-q",
            "-B",
            "-U",
            "-Dstyle.color=never",
            "-f",
            str(project / "pom.xml"),
            goal,
            "-DincludeScope=runtime",
            "-Dmdep.outputFile=classpath",
        ]
        said = ""
        for _ in range(_ATTEMPTS):
            done = subprocess.run(command, capture_output=True, text=True, timeout=_RESOLVE_SECONDS, check=False)
            if done.returncode == 0:
                found = [(project / str(number) / "classpath").read_text(encoding="utf-8").strip() for number in range(len(wanted))]
                for coordinates, text in zip(wanted, found, strict=True):
                    _write(_cached(coordinates), text)
                return found[0]
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[:12])
    raise MissingPart(f"Maven could not get {names}: no such release, or its registry is out of reach. It said:\n{said}")


def _pom(coordinates: tuple[str, ...]) -> str:
    names = ("groupId", "artifactId", "version", "classifier")
    dependencies = []
    for coordinate in coordinates:
        parts = zip(names, coordinate.split(":"), strict=False)  # few have a classifier
        dependencies.append(f"    <dependency>{''.join(f'<{name}>{part}</{name}>' for name, part in parts)}</dependency>\n")
    return _project(digest(" ".join(coordinates)), f"  <dependencies>\n{''.join(dependencies)}  </dependencies>\n")


def _project(name: str, content: str) -> str:
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0">\n  <modelVersion>4.0.0</modelVersion>\n'
        f"  <groupId>holdfast</groupId><artifactId>{name}</artifactId><version>1</version>\n{content}</project>\n"
    )


def _cached(coordinates: tuple[str, ...]) -> Path:
    return CACHE / "maven" / f"{digest(' '.join(coordinates))}.classpath"


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


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Held by one process of this user at a time: Maven's local repository does not like two writers."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
