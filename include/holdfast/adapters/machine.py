"""The port `Machine` on this machine."""

import importlib.metadata
import os
import re
import secrets
import shutil
import subprocess

import fsspec

from holdfast.adapters.lake import lake_connection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import HoldfastError

_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)')
_JAVA_TIMEOUT_S = 20


class ThisMachine:
    """Looks, and changes nothing but for a file of its own that it takes away again."""

    def java_major(self) -> int | None:
        """JAVA_HOME's Java if it is set, as Spark prefers it, else the one on PATH."""
        home = os.environ.get("JAVA_HOME")
        java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
        if not java:
            return None
        try:
            done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=_JAVA_TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = _VERSION.search(done.stderr + done.stdout)
        return int(found[1]) if found else None

    def package_version(self, name: str) -> str | None:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return None

    def folder_problem(self, url: str) -> str | None:
        if lake_connection.takes(url):
            return _problem_on_s3(url)
        name = f".holdfast-{secrets.token_hex(6)}"
        try:
            fs, root = fsspec.core.url_to_fs(url)
            place = f"{str(root).rstrip('/')}/{name}"
            with fs.open(place, "wb") as file:
                file.write(b"")
            fs.rm_file(place)
        except OSError as error:
            return error.strerror or type(error).__name__
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            return type(error).__name__
        return None


def _problem_on_s3(url: str) -> str | None:
    """Also where two writers could not rely on it."""
    try:
        lake, path = FsspecLake(url), (f"holdfast-{secrets.token_hex(6)}",)
        lake.create(path, b"")
        lake.remove(path)
    except HoldfastError as problem:
        return str(problem)
    return None
