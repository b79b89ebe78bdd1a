"""A Change as a part of other documents."""

from holdfast.rollout.json.codec import Codec
from holdfast.rollout.streams.change import schema
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json, change_to_json

CHANGE: Codec[Change] = Codec(change_from_json, change_to_json, lambda: schema.CHANGE)
