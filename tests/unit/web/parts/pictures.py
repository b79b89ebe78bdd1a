"""Pictures of who has what, made of a few moves."""

from collections.abc import Sequence

from holdfast.web.parts.ownership import Picture, Placement, Words, picture


def of_moves(moves: Sequence[tuple[str, str, int]]) -> Picture:
    """The given number of tasks goes from the one to the other."""
    before, after = {}, {}
    for source, target, count in moves:
        for _ in range(count):
            thing = f"0_{len(before)}"
            before[thing], after[thing] = source, target
    names = tuple(sorted({*before.values(), *after.values()}))
    return picture(
        "baseline",
        "Baseline (no mitigation)",
        Placement(Words("task", "client", "ID"), before, after, names, names, names, {one: one for one in names}),
    )
