"""The digest of a document: equal for equal documents."""

import hashlib
import json


def fingerprint(document: object) -> str:
    """`sha256:` and 64 hexadecimal digits of the document. The order of an object's keys does not matter."""
    canonical = json.dumps(document, allow_nan=False, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return f"sha256:{hashlib.sha256(canonical.encode('ascii')).hexdigest()}"
