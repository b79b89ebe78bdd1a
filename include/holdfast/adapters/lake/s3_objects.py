"""Objects of S3, and of what speaks its protocol, by the requests themselves.

fsspec's own words hide what counts here: a store that refuses has no such file, a key that may not be deleted is deleted, a bucket
that does not exist is an empty folder, or is created. s3fs signs the requests and repeats them; what a store refuses is known by
its code (docs/decisions/0068).
"""

import time
from collections.abc import Iterator
from typing import Any

from holdfast.errors import NotAllowed, StatePathTrouble, Unsupported

A_PAGE = 1_000
"""Keys that S3 lists, or deletes, by one request."""
_ABSENT = ("NoSuchKey", "404")
_THERE = ("PreconditionFailed", "412")
_AT_ONCE = ("ConditionalRequestConflict", "OperationAborted", "409")
"""Another request for the same key is not over: S3 asks to try again."""
_UNKNOWN = ("NotImplemented", "501")
_NOTHING_TO_READ = ("InvalidRange", "416")
_DENIED = (
    "AccessDenied",
    "AllAccessDisabled",
    "AccountProblem",
    "403",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
)
_ELSEWHERE = ("PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301")
_NO_CREDENTIALS = frozenset(
    {"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "TokenRetrievalError", "ProfileNotFound"}
)
_NO_ANSWER = frozenset({"ConnectionError", "ConnectTimeoutError", "HTTPClientError", "SSLError"})
"""Of botocore and of s3fs, which is installed only where it is needed."""
_PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)


class S3Objects:
    """`files`: an s3fs file system. A place is `<bucket>/<key>`; what is not understood is raised as it came, for `explained`."""

    def __init__(self, files: Any) -> None:
        self._files = files

    def put(self, place: str, content: bytes) -> None:
        bucket, key = _parts(place)
        self._files.call_s3("put_object", Bucket=bucket, Key=key, Body=content)

    def put_if_absent(self, place: str, content: bytes) -> bool:
        """Whether it was put. One request, whatever the size: a put of parts is conditional only on some stores."""
        bucket, key = _parts(place)
        for pause in (*_PAUSES_S, None):
            try:
                self._files.call_s3("put_object", Bucket=bucket, Key=key, Body=content, IfNoneMatch="*")
            except Exception as error:
                code = code_of(error)
                if code in _THERE:
                    return False
                if code in _UNKNOWN:
                    raise Unsupported(
                        "the object store does not know conditional puts (create only if absent). Use a newer one"
                    ) from None
                if code not in _AT_ONCE or pause is None:
                    raise
                time.sleep(pause)
            else:
                return True
        raise AssertionError("the last pause is None")

    def get(self, place: str, most: int) -> bytes:
        """Its first `most` bytes. Raise FileNotFoundError."""
        try:
            content: bytes = self._files.cat_file(place, start=0, end=most)
        except Exception as error:
            code = code_of(error)
            if code in _ABSENT:
                raise FileNotFoundError(place) from error
            if code in _NOTHING_TO_READ:  # there is no first byte of an empty object
                return b""
            raise
        return content

    def has(self, place: str) -> bool:
        """By a listing: for one object the answer is the same whether it is absent or its bucket."""
        bucket, key = _parts(place)
        found = self._files.call_s3("list_objects_v2", Bucket=bucket, Prefix=key, MaxKeys=1)
        return any(one["Key"] == key for one in found.get("Contents", ()))

    def names(self, place: str) -> Iterator[str]:
        """Directly below. As many requests as there are thousands of names, however many objects are further below."""
        bucket, key = _parts(place)
        prefix = f"{key}/" if key else ""
        for page in self._pages(bucket, prefix, Delimiter="/"):
            for one in page.get("CommonPrefixes", ()):
                yield one["Prefix"][len(prefix) :].rstrip("/")
            for one in page.get("Contents", ()):
                yield one["Key"][len(prefix) :]

    def remove(self, place: str) -> None:
        """The object of that name, and all below it. Raise PermissionError, OSError where the store kept one."""
        bucket, key = _parts(place)
        alone = [key]
        for page in self._pages(bucket, f"{key}/"):
            self._delete(bucket, [*alone, *(one["Key"] for one in page.get("Contents", ()))])
            alone = []

    def _delete(self, bucket: str, keys: list[str]) -> None:
        for first in range(0, len(keys), A_PAGE):
            wanted = [{"Key": key} for key in keys[first : first + A_PAGE]]
            answer = self._files.call_s3("delete_objects", Bucket=bucket, Delete={"Objects": wanted, "Quiet": True})
            for problem in answer.get("Errors", ()):
                kind = PermissionError if problem.get("Code") in _DENIED else OSError
                raise kind(f"the store kept {problem.get('Key')}: {problem.get('Code')}")

    def _pages(self, bucket: str, prefix: str, **options: str) -> Iterator[dict[str, Any]]:
        more: dict[str, str] = {}
        while True:
            page = self._files.call_s3("list_objects_v2", Bucket=bucket, Prefix=prefix, MaxKeys=A_PAGE, **options, **more)
            yield page
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}


def _parts(place: str) -> tuple[str, str]:
    bucket, _, key = place.partition("/")
    return bucket, key


def code_of(error: BaseException) -> str:
    """The code in the answer of the store; "" where there was none."""
    answer = getattr(error, "response", None) or getattr(error.__cause__, "response", None)
    return str(answer.get("Error", {}).get("Code", "")) if isinstance(answer, dict) else ""


def is_of_bucket(error: Exception) -> bool:
    """Whether it is the bucket that is not there."""
    return code_of(error) == "NoSuchBucket"


def trouble(what: str, place: str, error: Exception) -> StatePathTrouble:
    """What lacks, by what a store or s3fs says. `what` cannot be done; `place` is in the bucket."""
    code, kinds = code_of(error), {one.__name__ for one in type(error).__mro__}
    bucket = _parts(place)[0]
    if is_of_bucket(error):
        return StatePathTrouble(f"{what}: there is no bucket {bucket} there. Create it, or correct the URL or endpoint_url.")
    if code in _DENIED or isinstance(error, PermissionError):
        return NotAllowed(
            f"{what}: the store refused it ({code or error}). Check the keys, or the role, and that it has s3:ListBucket on the"
            f" bucket {bucket}, and s3:GetObject, s3:PutObject and s3:DeleteObject on what is in the lake (docs/lake.md)."
        )
    if kinds & _NO_CREDENTIALS:
        return NotAllowed(
            f"{what}: no credentials were found ({error}). In Airflow give them in the connection holdfast_lake; elsewhere in"
            " the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) or by the machine's role."
        )
    if kinds & _NO_ANSWER:
        return StatePathTrouble(
            f"{what}: the store does not answer ({error}). Check endpoint_url (AWS_ENDPOINT_URL) and the network."
        )
    if code in _ELSEWHERE:
        return StatePathTrouble(f"{what}: the bucket {bucket} is in another region ({code}). Set region_name (AWS_DEFAULT_REGION).")
    if code == "InvalidBucketName" or "ParamValidationError" in kinds:
        return StatePathTrouble(f"{what}: {error}. A lake's URL is s3://<bucket>/<folder>.")
    return StatePathTrouble(f"{what}: {error}")
