"""Two S3 servers that differ, each in a JVM of its own.

S3Proxy: Jetty, objects are files, signatures are checked, conditions are atomic. Adobe's S3Mock: Spring and Tomcat, no signatures;
of two puts that race both are taken, whatever their conditions.
"""

import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.harness.kafka import maven

from holdfast.adapters.lake.address import LakeAddress

S3PROXY = ("org.gaul:s3proxy:4.1.0", "com.fasterxml.jackson.core:jackson-annotations:2.21")
"""Maven alone would take annotations that are older than the library that reads them."""
S3MOCK = ("com.adobe.testing:s3mock:5.2.0", "org.slf4j:slf4j-api:2.0.18")
BUCKET = "lake-of-tests"
KEY, SECRET = "the-lakes-key", "the-lakes-very-own-words"
_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Xshare:auto")
_LIMIT_S = 120
_QUIET = """<configuration><root level="WARN"/></configuration>"""


@dataclass(frozen=True)
class S3Server:
    endpoint: str
    folder: Path

    def url(self) -> str:
        """Of a lake of its own."""
        return f"s3://{BUCKET}/lake-{secrets.token_hex(6)}"

    def address(self, url: str | None = None, **settings: object) -> LakeAddress:
        given = {"key": KEY, "secret": SECRET, "endpoint_url": self.endpoint, "client_kwargs": {"region_name": "us-east-1"}}
        return LakeAddress(url or self.url(), given | settings)


@contextmanager
def s3proxy(folder: Path) -> Iterator[S3Server]:
    """Or what `HOLDFAST_TEST_S3` says: the endpoint of another server, which has the bucket and the keys."""
    if "HOLDFAST_TEST_S3" in os.environ:
        yield S3Server(os.environ["HOLDFAST_TEST_S3"], folder)
        return
    port = _free_port()
    (folder / "objects" / BUCKET).mkdir(parents=True)
    (folder / "logback.xml").write_text(_QUIET)
    settings = {
        "s3proxy.endpoint": f"http://127.0.0.1:{port}",
        "s3proxy.authorization": "aws-v2-or-v4",
        "s3proxy.identity": KEY,
        "s3proxy.credential": SECRET,
        "jclouds.provider": "filesystem-nio2",
        "jclouds.filesystem.basedir": str(folder / "objects"),
    }
    (folder / "s3proxy.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    options = (f"-Dlogback.configurationFile={folder / 'logback.xml'}",)
    with _running(
        S3PROXY, options, ("org.gaul.s3proxy.Main", "--properties", str(folder / "s3proxy.conf")), folder, port
    ) as server:
        yield server


@contextmanager
def s3mock(folder: Path) -> Iterator[S3Server]:
    port = _free_port()
    folder.mkdir(parents=True, exist_ok=True)
    store = "com.adobe.testing.s3mock.store"
    options = (
        f"-Dhttp.port={port}",
        "-Dserver.port=0",
        f"-D{store}.initial-buckets={BUCKET}",
        f"-D{store}.root={folder}",
        "-Dcom.adobe.testing.s3mock.max-payload-size=100MB",
        "-Dlogging.level.root=WARN",
        "-Dspring.main.banner-mode=off",
    )
    with _running(S3MOCK, options, ("com.adobe.testing.s3mock.S3MockApplication",), folder, port) as server:
        yield server


@contextmanager
def _running(
    coordinates: tuple[str, ...], options: tuple[str, ...], main: tuple[str, ...], folder: Path, port: int
) -> Iterator[S3Server]:
    command = [maven.java_tool("java"), *_JAVA, *options, "-cp", maven.classpath(*coordinates), *main]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log, env=_without_options()) as server:
        try:
            _wait(server, port, folder / "log")
            yield S3Server(f"http://127.0.0.1:{port}", folder)
        finally:
            server.kill()


def _without_options() -> dict[str, str]:
    """Those of the suite are for Kafka and Spark."""
    return {name: value for name, value in os.environ.items() if name != "JDK_JAVA_OPTIONS"}


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    limit = time.monotonic() + _LIMIT_S
    while time.monotonic() < limit:
        if server.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the S3 server did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port
