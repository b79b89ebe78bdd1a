"""A pass of Numba's compiler by which no index is looked at twice: none is negative here.

Numba adds an array's length to each index that might be negative, which took a quarter of the time. It does not for unsigned ones.
Importing this imports Numba.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import AnnotateTypes
from numba.core.typing import signature


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(LoweringPass):  # type: ignore[misc]
    """After types are known: whole numbers that index arrays are passed on as unsigned ones."""

    _name = "unsigned_indices"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        for one, call in list(state.calltypes.items()):
            if isinstance(one, ir.SetItem) or (isinstance(one, ir.Expr) and one.op == "getitem"):
                of, index, *value = call.args
                if isinstance(of, types.Array):
                    del state.calltypes[one]  # what is there cannot be replaced
                    state.calltypes[one] = signature(call.return_type, of, _unsigned(index), *value)
        return False  # the code itself is as it was


def _unsigned(index: Any) -> Any:
    if isinstance(index, types.Integer):
        return types.uint64
    pair: Any = types.UniTuple  # type: ignore[attr-defined]  # it is there all the same
    if isinstance(index, pair) and isinstance(index.dtype, types.Integer):
        return pair(types.uint64, index.count)
    return index


class Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's own, with that pass."""

    def define_pipelines(self) -> list[Any]:
        found = DefaultPassBuilder.define_nopython_pipeline(self.state)
        found.add_pass_after(UnsignedIndices, AnnotateTypes)
        found.finalize()
        return [found]
