"""Writes `kafka/clients/class_table.py` from the jars: `python -m tests.conformance.clients.record_classes`."""

from pathlib import Path

from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams.record_config_keys import last_patches

from holdfast.kafka import release
from holdfast.kafka.clients.config_classes import TYPES

MODULE = Path(release.__file__).parent / "clients" / "class_table.py"
HEAD = '''"""The classes of Kafka that a configuration key can name, by release. Generated from the jars, not by hand:

    python -m tests.conformance.clients.record_classes

A line of `TABLE` is: type, first and last minor release, class.
"""

# ruff: noqa: E501

TABLE = """\\
{table}
"""
'''


def classes_of(jvm: LeaderJvm) -> set[tuple[str, str]]:
    """(type, class) of one release."""
    types = sorted({one for types in TYPES.values() for one in types})
    answer = jvm.ask([{"ask": "classes", "types": types}])[0]
    return {(one, name) for one in types for name in answer[one]}


def main() -> None:
    spans: dict[tuple[str, str], list[list[int]]] = {}
    minors = []
    for number, patch in enumerate(last_patches()):
        minors.append(patch.rpartition(".")[0])
        with LeaderJvm(patch) as jvm:
            for one in classes_of(jvm):
                its = spans.setdefault(one, [])
                if its and its[-1][1] == number - 1:
                    its[-1][1] = number
                else:
                    its.append([number, number])
    lines = [f"{one[0]} {minors[first]} {minors[last]} {one[1]}" for one, its in sorted(spans.items()) for first, last in its]
    MODULE.write_text(HEAD.replace("{table}", "\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
