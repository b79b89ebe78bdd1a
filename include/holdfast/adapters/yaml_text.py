"""YAML, as people write policies in it: what JSON can say, and no more.

Refused: anchors, aliases and tags (a few lines of them fill a memory or name a class), a key twice, keys that are not text, several
documents, deep nesting, and anything larger than a policy is. `22:00`, `yes` and `2026-11-22` are text here, as in YAML 1.2, and so
are numbers with a fraction: nothing that people write for Holdfast holds one, and `format_version: 1.0` means the text.
"""

import re
from typing import Any

import yaml  # type: ignore[import-untyped] # PyYAML ships no types

from holdfast.errors import InvalidInput, NotJson
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import shown

LARGEST = 256 * 1024
"""Bytes or characters."""
DEEPEST = 20


def loads(text: str | bytes) -> object:
    """The document in `text` (bytes: UTF-8); JSON is read as JSON. Raise InvalidInput for what is neither."""
    if len(text) > LARGEST:
        raise InvalidInput(f"the document has {len(text):,} characters; {LARGEST:,} are allowed")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"the document is not UTF-8: byte {error.start} is {text[error.start]:#04x}") from None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return strict.loads(text)
        except NotJson:
            pass  # YAML may begin with these brackets too
    loader = None
    try:
        loader = _Loader(text)
        document: object = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        raise InvalidInput(f"the document is not YAML: {_described(error)}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"the document is not YAML: {ascii(str(error).splitlines()[0])[1:-1]}") from None
    except ValueError:
        raise InvalidInput("the document holds an integer of thousands of digits; 64 bits are allowed") from None
    except RecursionError:
        raise InvalidInput(f"the document is nested too deeply; {DEEPEST} levels are allowed") from None
    finally:
        if loader is not None:
            loader.dispose()
    return document


def _described(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"{ascii(error.problem or error.context or 'it cannot be read')[1:-1]}{where}"


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # it has no types
    """SafeLoader without what JSON has not."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own interface
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise InvalidInput(f"line {line} has an anchor or an alias (& or *); write the value out")
        if getattr(event, "tag", None) is not None:
            raise InvalidInput(f"line {line} has a tag ({shown(event.tag)}); values have none here")
        self._depth += 1
        if self._depth > DEEPEST:
            raise InvalidInput(f"the document is nested too deeply; {DEEPEST} levels are allowed")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, None] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise InvalidInput(f"line {line} has a key that is not text; quote it")
            if key.value in seen:
                raise InvalidInput(
                    f"the key {shown(key.value)} is given twice in one object (again in line {line}); keys must be unique"
                )
            seen[key.value] = None
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(true|false)\Z", re.ASCII), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"null\Z|~\Z|\Z", re.ASCII), ["n", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?(0|[1-9][0-9]*)\Z", re.ASCII), list("-+0123456789"))
