"""A machine with what a test puts on it."""

from dataclasses import dataclass, field


@dataclass
class FakeMachine:
    java: int | None = 17
    packages: dict[str, str] = field(default_factory=lambda: {"pyspark": "4.3.0"})
    problems: dict[str, str] = field(default_factory=dict)

    def java_major(self) -> int | None:
        return self.java

    def package_version(self, name: str) -> str | None:
        return self.packages.get(name)

    def folder_problem(self, url: str) -> str | None:
        return self.problems.get(url)
