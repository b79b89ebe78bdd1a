"""A lake on S3 as Spark reaches it: Hadoop's s3a, with the same keys and endpoint.

Keys go to spark-submit as variables of its environment, which Spark itself takes for s3a and hands to executors over its own
connections: no command line, no file and no log has them.
"""

from urllib.parse import urlsplit

from holdfast.adapters.lake.address import LakeAddress

SCHEMES = ("s3", "s3a")
_DEFAULT_CHAIN = "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider"
_S3A = "spark.hadoop.fs.s3a"


def url_of(url: str) -> str:
    """As Hadoop calls it; other URLs are as they were."""
    scheme, _, rest = url.partition("://")
    return f"s3a://{rest}" if scheme in SCHEMES else url


def environment(address: LakeAddress) -> dict[str, str]:
    """The secrets, by the names that Spark knows."""
    if not _is_on_s3(address):
        return {}
    names = {"key": "AWS_ACCESS_KEY_ID", "secret": "AWS_SECRET_ACCESS_KEY", "token": "AWS_SESSION_TOKEN", "profile": "AWS_PROFILE"}
    return {variable: str(address.settings[name]) for name, variable in names.items() if address.settings.get(name)}


def provider(address: LakeAddress) -> dict[str, str]:
    """Where there are no keys, each machine finds its own, as s3fs finds them here; s3a alone would not look into files."""
    return {f"{_S3A}.aws.credentials.provider": _DEFAULT_CHAIN} if _is_on_s3(address) and not address.settings.get("key") else {}


def settings(address: LakeAddress) -> dict[str, str]:
    """What is no secret: where the store is."""
    if not _is_on_s3(address):
        return {}
    given, found = address.settings, {}
    endpoint = str(given.get("endpoint_url", ""))
    if endpoint:
        found[f"{_S3A}.endpoint"] = endpoint
        found[f"{_S3A}.connection.ssl.enabled"] = str(urlsplit(endpoint).scheme != "http").lower()
    region = given.get("client_kwargs", {}).get("region_name")
    if region:
        found[f"{_S3A}.endpoint.region"] = str(region)
    style = given.get("config_kwargs", {}).get("s3", {}).get("addressing_style")
    if style == "path" or (endpoint and style != "virtual"):
        found[f"{_S3A}.path.style.access"] = "true"
    return found


def _is_on_s3(address: LakeAddress) -> bool:
    return address.url.partition("://")[0] in SCHEMES
