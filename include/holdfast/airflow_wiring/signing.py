"""The signing keys of this deployment: those of the connection `holdfast_signing_key`, or else derived from Airflow's Fernet key.

A connection's password is encrypted, masked and never shown. Where there is neither (Fernet switched off, or workers that are
not given its key) nothing is signed, and the pages say so.
"""

import re
from typing import TYPE_CHECKING

from holdfast.airflow_wiring.airflow_objects import SIGNING_CONNECTION

if TYPE_CHECKING:
    from holdfast.rollout.journal.seal import SigningKeys

_FERNET_KEY = re.compile(r"[A-Za-z0-9_-]{43}=", re.ASCII)


def signing_keys() -> "SigningKeys":
    """Raise InvalidInput for a connection without a key that can be used. What else goes wrong is not treated as "no key"."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    from holdfast.rollout.journal.seal import SigningKeys

    try:
        return SigningKeys.read(
            str(BaseHook.get_connection(SIGNING_CONNECTION).password or ""),
            f"the password of the connection {SIGNING_CONNECTION}",
        )
    except AirflowNotFoundException:
        return _of_airflow()


def _of_airflow() -> "SigningKeys":
    from airflow.sdk import conf

    from holdfast.rollout.journal.seal import NO_KEYS, SigningKeys

    # Where it is not set Airflow's defaults have a publicly known placeholder.
    text = str(conf.get("core", "fernet_key", fallback="") or "")
    keys = [key.strip() for key in text.split(",") if key.strip()]
    if not keys or not all(_FERNET_KEY.fullmatch(key) for key in keys):
        return NO_KEYS
    return SigningKeys.read(",".join(keys), "Airflow's Fernet key")
