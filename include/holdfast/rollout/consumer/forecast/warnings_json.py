"""The JSON of a warning about offsets, as a plan holds it next to its sentence."""

from holdfast.kafka.consumer.config import Reset
from holdfast.rollout.consumer.forecast.positions import Danger, OffsetWarning
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields, nullable, one_of


def offset_warning_to_json(one: OffsetWarning) -> dict[str, object]:
    return {
        "kind": one.danger.value,
        "partitions": one.partitions,
        "reset_to": one.reset_to.value,
        "reset_is_default": one.reset_is_default,
        "skipping": kafka.topic_partitions_to_json(one.skipping),
        "records": one.records,
        "duration": one.duration,
    }


def offset_warning_from_json(value: object) -> OffsetWarning:
    fields = Fields(value)
    found = OffsetWarning(
        danger=fields.need("kind", one_of(Danger)),
        partitions=fields.need("partitions", strict.offset),
        reset_to=fields.need("reset_to", one_of(Reset)),
        reset_is_default=fields.need("reset_is_default", strict.boolean),
        skipping=fields.need("skipping", kafka.topic_partitions),
        records=fields.need("records", nullable(strict.offset)),
        duration=fields.need("duration", nullable(strict.text)),
    )
    fields.finish(closed=True)
    return found
