"""JSON Schema of a range."""

from holdfast.rollout.json import shapes

span = shapes.row(shapes.count(), shapes.count(), about="[low, high]")
