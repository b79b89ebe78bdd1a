"""The JSON of settings that a plan changes."""

from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields


def setting(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def settings_from_json(value: object) -> tuple[SettingChange, ...]:
    return strict.each(value, _setting_change)


def _setting_change(value: object) -> SettingChange:
    fields = Fields(value)
    change = SettingChange(
        fields.need("key", strict.name),
        fields.need("value", kafka.config_value),
        fields.need("revert_to", kafka.config_value),
        fields.need("note", strict.text),
    )
    fields.finish(closed=True)
    return change


def settings_to_json(settings: tuple[SettingChange, ...]) -> list[object]:
    return [
        {"key": one.key, "value": setting(one.value), "revert_to": setting(one.revert_to), "note": one.note} for one in settings
    ]
