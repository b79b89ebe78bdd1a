"""docs/settings.md lists every declared rule. `GOLDEN_UPDATE=1` writes the table anew."""

import os
from pathlib import Path

from holdfast.rollout.settings.rules_page import rules
from holdfast.rollout.settings.table import RULES

PAGE = Path(__file__).parents[4] / "docs" / "settings.md"
BEGIN, END = "<!-- rules -->\n", "<!-- /rules -->"


def test_the_page_has_the_rules_as_they_are_declared() -> None:
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin
    assert end
    wanted = f"{before}{BEGIN}\n{rules()}\n{END}{after}"
    if os.environ.get("GOLDEN_UPDATE"):
        PAGE.write_text(wanted, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == wanted
    assert all(f"| `{rule.name}`" in wanted for rule in RULES)
