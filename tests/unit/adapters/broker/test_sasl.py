"""Kerberos and AWS: what is passed on, and what is reported as missing before a broker is asked. Their packages are fakes here."""

import importlib.machinery
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from holdfast.adapters.broker import sasl
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import ClusterTrouble, InvalidInput, Unsupported

KERBEROS = {"security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"}
MODULE = "com.sun.security.auth.module.Krb5LoginModule"
AMAZON = {"security.protocol": "SASL_SSL", "sasl.mechanism": "AWS_MSK_IAM"}


def installed(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(content)
    monkeypatch.setitem(sys.modules, name, module)
    return module


class GSSError(Exception):
    """As the package's own, which is known by where it is from."""


GSSError.__module__ = "gssapi.raw.misc"


@pytest.fixture
def kerberos(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    found = SimpleNamespace(lifetime=3600)
    return installed(monkeypatch, "gssapi", Credentials=lambda **_: found, exceptions=SimpleNamespace(GSSError=GSSError))


@pytest.mark.usefixtures("kerberos")
class TestKerberos:
    @pytest.mark.parametrize(
        ("given", "service"),
        [({}, "kafka"), ({"sasl.kerberos.service.name": "streams-brokers"}, "streams-brokers")],
    )
    def test_the_service_s_name_is_passed_on(self, given: dict[str, str], service: str) -> None:
        settings = ClusterConnection.of("a:1", KERBEROS | given).settings()
        assert (settings["sasl_mechanism"], settings["sasl_kerberos_service_name"]) == ("GSSAPI", service)
        sasl.obtain_credentials(settings)

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ('useKeyTab=true keyTab="/etc/app.keytab" principal="app@EXAMPLE.COM"', "keyTab and principal"),
            ('useTicketCache=true ticketCache="/tmp/krb5cc_app"', "ticketCache"),
        ],
    )
    def test_another_ticket_than_the_users_is_refused(self, options: str, named: str) -> None:
        with pytest.raises(Unsupported, match=f"sasl.jaas.config names {named}, .*KRB5_CLIENT_KTNAME"):
            ClusterConnection.of("a:1", KERBEROS | {"sasl.jaas.config": f"{MODULE} required {options};"})

    def test_the_users_own_ticket_may_be_named(self) -> None:
        own = {"sasl.jaas.config": f"{MODULE} required useTicketCache=true;"}
        assert ClusterConnection.of("a:1", KERBEROS | own).settings()["sasl_mechanism"] == "GSSAPI"

    def test_without_a_ticket_says_what_to_do(self, kerberos: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        def none(usage: str) -> Any:
            raise GSSError(f"no credentials to {usage} with")

        monkeypatch.setattr(kerberos, "Credentials", none)
        settings = ClusterConnection.of("a:1", KERBEROS).settings()
        with pytest.raises(ClusterTrouble, match=r"no credentials to initiate with.*Run kinit") as refused:
            sasl.obtain_credentials(settings)
        assert refused.value.lasting

    def test_a_broker_that_kerberos_does_not_know_is_not_a_matter_of_certificates(self) -> None:
        assert "not found in Kerberos database" in (sasl.kerberos_trouble(GSSError("Server not found in Kerberos database")) or "")
        assert sasl.kerberos_trouble(ConnectionResetError("gone")) is None


class TestAmazon:
    @pytest.fixture(autouse=True)
    def _package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        installed(monkeypatch, "botocore")
        installed(monkeypatch, "botocore.exceptions", BotoCoreError=RuntimeError)

    def with_session(self, monkeypatch: pytest.MonkeyPatch, credentials: object, region: str | None) -> None:
        session = SimpleNamespace(get_credentials=lambda: credentials, get_config_variable=lambda _: region)
        installed(monkeypatch, "botocore.session", Session=lambda: session)

    def test_what_aws_has_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.with_session(monkeypatch, object(), "eu-west-1")
        settings = ClusterConnection.of("a:1", AMAZON).settings()
        assert settings["sasl_mechanism"] == "AWS_MSK_IAM"
        sasl.obtain_credentials(settings)

    @pytest.mark.parametrize(
        ("credentials", "region", "named"),
        [(None, "eu-west-1", "credentials .AWS_PROFILE"), (object(), None, "region .AWS_DEFAULT_REGION")],
    )
    def test_what_is_missing_is_said(
        self, monkeypatch: pytest.MonkeyPatch, credentials: object, region: str | None, named: str
    ) -> None:
        self.with_session(monkeypatch, credentials, region)
        with pytest.raises(ClusterTrouble, match=f"needs AWS's own {named}"):
            sasl.obtain_credentials(ClusterConnection.of("a:1", AMAZON).settings())

    def test_a_broken_profile_is_no_traceback(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken() -> object:
            raise RuntimeError("the config profile (x) could not be found")

        installed(monkeypatch, "botocore.session", Session=lambda: SimpleNamespace(get_credentials=broken))
        with pytest.raises(ClusterTrouble, match="AWS gave no credentials"):
            sasl.obtain_credentials(ClusterConnection.of("a:1", AMAZON).settings())

    def test_it_is_never_sent_in_the_clear(self) -> None:
        with pytest.raises(InvalidInput, match="needs SASL_SSL"):
            ClusterConnection.of("a:1", AMAZON | {"security.protocol": "SASL_PLAINTEXT"})


def test_refused_credentials_say_what_to_check_of_each_mechanism() -> None:
    found = [sasl.to_check(one) for one in sasl.MECHANISMS]
    assert len(set(found)) == 4
    assert "password" not in sasl.to_check("OAUTHBEARER")


class TestALoginNextToTheProperties:
    """As Airflow keeps them: encrypted, apart from a connection's extras."""

    @pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
    @pytest.mark.parametrize("password", ["plain", 'a "quoted" one', "back\\\\slash\\", "it's; = {1}", "line\nline"])
    def test_is_what_a_login_module_gets(self, mechanism: str, password: str) -> None:
        given = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism}

        properties = sasl.with_login(given, 'm"e', password)

        settings = ClusterConnection.of("a:1", properties).settings()
        assert (settings["sasl_plain_username"], settings["sasl_plain_password"]) == ('m"e', password)
        assert password in sasl.secrets_in(properties)

    def test_is_a_client_s_id_and_secret_where_tokens_are_granted(self) -> None:
        given = {"sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url": "https://a/token"}

        properties = sasl.with_login(given, "id", "hidden")

        client = "sasl.oauthbearer.client.credentials.client"
        assert properties == given | {f"{client}.id": "id", f"{client}.secret": "hidden"}

    def test_is_nothing_where_there_is_none(self) -> None:
        assert sasl.with_login(AMAZON, None, "") == AMAZON

    @pytest.mark.parametrize(
        ("given", "user", "password", "said"),
        [
            (KERBEROS, "me", "hidden", r"sasl\.mechanism: .* GSSAPI takes none"),
            ({}, "me", "hidden", r"sasl\.mechanism: .* GSSAPI takes none"),
            ({"sasl.mechanism": "PLAIN"}, "me", "", "the password is empty"),
            ({"sasl.mechanism": "PLAIN"}, None, "hidden", "the login is empty"),
            ({"sasl.mechanism": "PLAIN", "sasl.jaas.config": "x"}, "me", "hidden", r"sasl\.jaas\.config: is given, and so are"),
        ],
    )
    def test_that_cannot_be_meant_is_refused(self, given: dict[str, str], user: str | None, password: str, said: str) -> None:
        with pytest.raises(InvalidInput, match=said) as refusal:
            sasl.with_login(given, user, password)
        assert "hidden" not in str(refusal.value)
