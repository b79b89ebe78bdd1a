"""How a user proves itself to a broker: Kafka's own SASL properties, turned into what kafka-python takes.

PLAIN and SCRAM by a login module's user and password; OAUTHBEARER by a token, which is asked for with a client's credentials (OAuth
2.0, `sasl.oauthbearer.token.endpoint.url`) or, as Kafka's own default does, generated without a signature; GSSAPI by the ticket
that Kerberos keeps for this user; AWS_MSK_IAM by the credentials that AWS's libraries find.
"""

import base64
import importlib.util
import json
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from holdfast.adapters.urls import parts_of
from holdfast.errors import ClusterTrouble, InvalidInput, Unsupported
from holdfast.secrecy import is_secret_name

_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}
_KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule"
_NOT_READ = ("keyTab", "principal", "ticketCache")
"""Options of Kerberos' login module that say whose ticket is used: kafka-python takes the user's own."""
_OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
MECHANISMS = (*_MODULES, "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM")
_LOGIN = re.compile(r"\s*([\w.]+)\s+(?:required|requisite|sufficient|optional)(?:\s+(.*?))?;?\s*", re.DOTALL)
_OPTION = re.compile(r"""(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))""", re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_ENDPOINT_LIMIT_S = 10.0
_LARGEST_ANSWER = 256 * 1024
_REFRESH_AT = 0.8
"""Of a token's life, as Kafka's clients do it."""
_SHORTEST_LIFE_S = 60.0
_OWN_TOKEN_LIFE_S = 3_600


class Secret(str):
    """A string that does not show itself in a log, an error or a traceback."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def settings(given: Mapping[str, str]) -> dict[str, object]:
    """Raise InvalidInput or Unsupported, naming the property."""
    mechanism = given.get("sasl.mechanism", "GSSAPI")
    if mechanism in _MODULES:
        return {"sasl_mechanism": mechanism} | _user_and_password(mechanism, given)
    if mechanism == "OAUTHBEARER":
        return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": _token_provider(given)}
    if mechanism == "GSSAPI":
        _need_package("gssapi", mechanism, "gssapi")
        _refuse_another_ticket(given)
        return {"sasl_mechanism": mechanism, "sasl_kerberos_service_name": given.get("sasl.kerberos.service.name", "kafka")}
    if mechanism == "AWS_MSK_IAM":
        _need_package("botocore", mechanism, "msk")
        if given.get("security.protocol", "").upper() != "SASL_SSL":
            raise InvalidInput("AWS_MSK_IAM needs SASL_SSL", "security.protocol")
        return {"sasl_mechanism": mechanism}
    raise Unsupported(f"the SASL mechanism {mechanism!r} is not supported; sasl.mechanism may be {', '.join(MECHANISMS)}")


def obtain_credentials(settings: Mapping[str, object]) -> None:
    """A token, a ticket or AWS's credentials, before a broker is asked. Raise ClusterTrouble where there are none: a client would
    try until its time is up, and not say why. `settings`: of this module's `settings`."""
    provider = settings.get("sasl_oauth_token_provider")
    if provider is not None:
        provider.token()  # type: ignore[attr-defined]
    elif settings.get("sasl_mechanism") == "GSSAPI":
        _find_ticket()
    elif settings.get("sasl_mechanism") == "AWS_MSK_IAM":
        _find_aws_credentials()


def to_check(mechanism: object) -> str:
    """What is to be checked where the broker has refused the credentials."""
    match mechanism:
        case "OAUTHBEARER":
            return "the token's scope and lifetime, and that the broker trusts its issuer"
        case "GSSAPI":
            return "the principal of the ticket (klist), and sasl.kerberos.service.name"
        case "AWS_MSK_IAM":
            return "the IAM policy of these AWS credentials, and the region"
    return "the username and password in sasl.jaas.config"


def kerberos_trouble(error: BaseException) -> str | None:
    """Why Kerberos gave no ticket for the broker; None: it is another error."""
    if type(error).__module__.partition(".")[0] != "gssapi":
        return None
    return (
        f"Kerberos gave no ticket for the broker ({str(error)[:300]}). Check sasl.kerberos.service.name, and that the broker's"
        " address is the host name of its principal"
    )


def with_login(given: Mapping[str, str], user: str | None, password: str | None) -> dict[str, str]:
    """The properties, and in those that `sasl.mechanism` takes them in, a user and a password that are kept apart from them.

    Raise InvalidInput where it takes none, where one of the two is missing, or where the properties have them too.
    """
    if not user and not password:
        return dict(given)
    mechanism = given.get("sasl.mechanism", "GSSAPI")
    if mechanism not in (*_MODULES, "OAUTHBEARER"):
        raise InvalidInput(
            f"there is a login or a password, and {mechanism} takes none: clear them, or set one of {', '.join(_MODULES)},"
            " OAUTHBEARER",
            "sasl.mechanism",
        )
    if not user or not password:
        raise InvalidInput(f"{mechanism} needs both; the {'password' if user else 'login'} is empty", "login and password")
    if mechanism == "OAUTHBEARER":
        client = "sasl.oauthbearer.client.credentials.client"
        named = {f"{client}.id": user, f"{client}.secret": password}
    else:
        named = {"sasl.jaas.config": f"{_MODULES[mechanism]} required username={_quoted(user)} password={_quoted(password)};"}
    for key in named:
        if key in given:
            raise InvalidInput("is given, and so are a login and a password: clear one of them", key)
    return {**given, **named}


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def secrets_in(given: Mapping[str, str]) -> frozenset[str]:
    """The values of client properties that must be shown nowhere, those inside a login module's options too."""
    options = [_OPTION.finditer(text) for key, text in given.items() if key == "sasl.jaas.config"]
    inside = {_unquoted(match) for found in options for match in found if is_secret_name(match[1])}
    return frozenset(filter(None, inside | {value for key, value in given.items() if is_secret_name(key)}))


def _need_package(package: str, mechanism: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise Unsupported(
            f"sasl.mechanism {mechanism} needs the package {package}, which is not installed: pip install 'holdfast[{extra}]'"
        )


def _refuse_another_ticket(given: Mapping[str, str]) -> None:
    options = _options(given, _KERBEROS_MODULE) or {}
    named = [name for name in _NOT_READ if name in options]
    if named:
        raise Unsupported(
            f"sasl.jaas.config names {' and '.join(named)}, which are not supported: GSSAPI uses the ticket of the user that runs"
            " Holdfast. Remove them, and run kinit or set KRB5_CLIENT_KTNAME to the keytab (KRB5CCNAME to the ticket cache)"
        )


def _find_ticket() -> None:
    import gssapi

    try:
        gssapi.Credentials(usage="initiate").lifetime  # noqa: B018 - raises where the ticket has expired
    except gssapi.exceptions.GSSError as error:
        raise ClusterTrouble(
            f"Kerberos has no ticket for this user ({str(error)[:300]}). Run kinit, or set KRB5_CLIENT_KTNAME to a keytab",
            lasting=True,
        ) from None


def _find_aws_credentials() -> None:
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    session = Session()
    try:
        missing = None if session.get_credentials() else "credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID, a role of the machine)"
        missing = missing or (None if session.get_config_variable("region") else "region (AWS_DEFAULT_REGION)")
    except BotoCoreError as error:
        raise ClusterTrouble(f"AWS gave no credentials ({type(error).__name__}). Check AWS_PROFILE and its files") from None
    if missing:
        raise ClusterTrouble(f"AWS_MSK_IAM needs AWS's own {missing}; there is none", lasting=True)


def _options(given: Mapping[str, str], module: str) -> dict[str, str] | None:
    """What the login module of `sasl.jaas.config` is given; None: it is another module, or none."""
    login = _LOGIN.fullmatch(given.get("sasl.jaas.config", ""))
    if not login or login[1] != module:
        return None
    return {match[1]: _unquoted(match) for match in _OPTION.finditer(login[2] or "")}


def _unquoted(match: re.Match[str]) -> str:
    quoted = match[2] if match[2] is not None else match[3]
    return match[4] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)


def _user_and_password(mechanism: str, given: Mapping[str, str]) -> dict[str, object]:
    options = _options(given, _MODULES[mechanism])
    if options is None:
        raise InvalidInput(
            f'needs the login module of {mechanism}: {_MODULES[mechanism]} required username="…" password="…";', "sasl.jaas.config"
        )
    if not options.get("username") or "password" not in options:
        raise InvalidInput("names no username or no password", "sasl.jaas.config")
    return {"sasl_plain_username": options["username"], "sasl_plain_password": Secret(options["password"])}


def _token_provider(given: Mapping[str, str]) -> Any:
    options = _options(given, _OAUTH_MODULE) or {}
    endpoint = given.get("sasl.oauthbearer.token.endpoint.url")
    if endpoint:
        client = given.get("sasl.oauthbearer.client.credentials.client.id") or options.get("clientId")
        secret = given.get("sasl.oauthbearer.client.credentials.client.secret") or options.get("clientSecret")
        if not client or not secret:
            raise InvalidInput(
                "needs clientId and clientSecret in sasl.jaas.config, or sasl.oauthbearer.client.credentials.client.id and .secret",
                "sasl.oauthbearer.token.endpoint.url",
            )
        _refuse_open_endpoint(endpoint)
        scope = given.get("sasl.oauthbearer.scope") or options.get("scope")
        return _provider(Tokens(lambda: _granted(endpoint, client, Secret(secret), scope)))
    user = options.get("unsecuredLoginStringClaim_sub")
    if user:
        return _provider(Tokens(lambda: _unsecured(user)))
    raise InvalidInput(
        f"OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url with a client's credentials, or, for brokers that check no"
        f" signature, {_OAUTH_MODULE} required unsecuredLoginStringClaim_sub=…",
        "sasl.jaas.config",
    )


def _refuse_open_endpoint(endpoint: str) -> None:
    parts = parts_of(endpoint)
    if parts is None:
        raise InvalidInput("the URL is malformed", "sasl.oauthbearer.token.endpoint.url")
    at_home = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and at_home):
        raise InvalidInput("an https URL is needed: the client's secret is sent there", "sasl.oauthbearer.token.endpoint.url")
    if parts.username or parts.password:
        raise InvalidInput(
            "holds a user or a password; give them as the client's credentials", "sasl.oauthbearer.token.endpoint.url"
        )


class Tokens:
    """One token for all connections, until most of its life is over."""

    def __init__(self, granted: Any) -> None:
        self._granted = granted
        self._one_at_a_time = threading.Lock()
        self._token: Secret | None = None
        self._until = 0.0

    def token(self) -> Secret:
        with self._one_at_a_time:
            if self._token is None or time.monotonic() >= self._until:
                token, life_s = self._granted()
                self._token, self._until = token, time.monotonic() + _REFRESH_AT * life_s
            return self._token


def _provider(tokens: Tokens) -> Any:
    from kafka.net.sasl.oauth import AbstractTokenProvider

    class Provider(AbstractTokenProvider):  # type: ignore[misc] # kafka-python has no types
        def token(self) -> str:
            return tokens.token()

        def extensions(self) -> dict[str, str]:
            return {}

    return Provider()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The client's secret goes where it was configured to go, and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _granted(endpoint: str, client: str, secret: Secret, scope: str | None) -> tuple[Secret, float]:
    """A token for the client's credentials (RFC 6749, 4.4), and for how many seconds. Raise ClusterTrouble."""
    form = {"grant_type": "client_credentials"} | ({"scope": scope} if scope else {})
    login = base64.b64encode(f"{client}:{str.__str__(secret)}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    request = urllib.request.Request(endpoint, urlencode(form).encode(), headers, method="POST")  # noqa: S310 - https, or this machine
    handlers = (_NoRedirect(), urllib.request.HTTPSHandler(context=ssl.create_default_context()))
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=_ENDPOINT_LIMIT_S) as answer:
            content = answer.read(_LARGEST_ANSWER + 1)
        document = json.loads(content) if len(content) <= _LARGEST_ANSWER else None
    except urllib.error.HTTPError as error:
        error.close()  # it is a response, with the connection in it
        raise ClusterTrouble(
            f"{endpoint}: no token was granted (HTTP {error.code}): check the client's ID and secret", lasting=error.code < 500
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "reason", None)
        raise ClusterTrouble(f"{endpoint}: no token could be obtained ({str(reason or type(error).__name__)[:200]})") from None
    token = document.get("access_token") if isinstance(document, dict) else None
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise ClusterTrouble(f"{endpoint}: the response contains no access_token")
    life = document.get("expires_in") if isinstance(document, dict) else None
    seconds = float(life) if isinstance(life, int | float) and not isinstance(life, bool) and 0 < life < 10**9 else _SHORTEST_LIFE_S
    return Secret(token), seconds


def _unsecured(user: str) -> tuple[Secret, float]:
    """A token without a signature, as `OAuthBearerUnsecuredLoginCallbackHandler` makes it: for brokers that check none."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + _OWN_TOKEN_LIFE_S})
    coded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return Secret(".".join(coded) + "."), _OWN_TOKEN_LIFE_S
