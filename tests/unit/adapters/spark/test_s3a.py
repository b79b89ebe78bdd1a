"""What Spark gets for a lake on S3: keys by its environment, everything else by settings."""

from holdfast.adapters.lake import lake_connection
from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.spark import s3a

SECRET = "the-secret-key-of-4711"


def test_keys_are_no_settings() -> None:
    extras = {"endpoint_url": "http://127.0.0.1:9000", "region_name": "eu-central-1", "aws_session_token": f"{SECRET}-token"}
    address = lake_connection.address("s3://bucket/lake", "the-key", SECRET, extras)

    assert s3a.environment(address) == {
        "AWS_ACCESS_KEY_ID": "the-key",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": f"{SECRET}-token",
    }
    assert s3a.settings(address) | s3a.provider(address) == {
        "spark.hadoop.fs.s3a.endpoint": "http://127.0.0.1:9000",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        "spark.hadoop.fs.s3a.endpoint.region": "eu-central-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
    }
    assert s3a.url_of(address.url) == "s3a://bucket/lake"


def test_without_keys_each_machine_finds_its_own() -> None:
    address = lake_connection.address("s3a://bucket/lake", extras={"profile_name": "lake"})
    assert s3a.environment(address) == {"AWS_PROFILE": "lake"}
    assert s3a.settings(address) == {}
    assert list(s3a.provider(address)) == ["spark.hadoop.fs.s3a.aws.credentials.provider"]


def test_of_another_lake_nothing_is_said() -> None:
    for url in ("/a/folder", "gs://bucket/lake"):
        address = LakeAddress(url, {"key": "k"})
        assert (s3a.environment(address), s3a.settings(address), s3a.provider(address)) == ({}, {}, {})
        assert s3a.url_of(url) == url
