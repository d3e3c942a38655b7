"""Login through OpenID Connect: the setting `oidc`, and who somebody is by what the identity provider says.

Nobody gets a role by default. A role must be named by a claim, and the setting must say what it is worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeGuard, cast

import msgspec

from holdfast.core.keys import Role
from holdfast.core.names import ALL_NAMESPACES, BURIED, is_name
from holdfast.core.public_urls import checked_public_url
from holdfast.errors import BadOption

EVERYBODY: Final = "*"
"""As a value of the claim: whoever can log in at the provider."""
_RANKS: Final = (Role.ADMIN, Role.OPERATOR, Role.VIEWER)
"""The highest comes first. Workers are programs, and do not log in."""
_LOOPBACK: Final = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?(/.*)?")
_LONGEST_NAME: Final = 200
_LONGEST_SUBJECT: Final = 255
"""As in OpenID Connect."""


class OidcOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `oidc` of the settings."""

    issuer: str
    client_id: str
    client_secret_file: str = ""
    """Or the variable HOLDFAST_OIDC_CLIENT_SECRET. Without both, there is no secret: a public client."""
    label: str = ""
    """What pages call the provider. Empty: the name of its host."""
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    role_claim: str = "roles"
    """The name of a claim, or a path in it with dots: `realm_access.roles`."""
    roles: dict[str, Role] = {}
    """For values of the claim, which role they are worth. `*`: whoever can log in."""
    namespace: str = ""
    """Of everybody who logs in; `*`: all. Empty: that of the server."""
    namespace_claim: str = ""
    """The claim that has the namespace."""
    name_claim: str = ""
    """The claim by which people are known. Empty: the verified address, or else the name of the account."""
    domains: list[str] = []
    """Only for verified addresses of these. Empty: any."""


class OidcIdentity(NamedTuple):
    subject: str
    """The issuer, and what it calls the person. It does not change."""
    name: str
    role: Role
    namespace: str


class NotAllowed(NamedTuple):
    reason: str


def read_oidc(setting: Mapping[str, Any]) -> OidcOptions | None:
    """None if the setting is empty. Raises BadOption."""
    if not setting:
        return None
    if "client_secret" in setting:
        expected = (
            "left out: put it into the variable HOLDFAST_OIDC_CLIENT_SECRET, or name a client_secret_file"
        )
        raise BadOption("oidc.client_secret", "…", expected)
    try:
        options = msgspec.convert(dict(setting), OidcOptions)
    except msgspec.ValidationError as error:
        reason = str(error).replace("`", "'")
        raise BadOption("oidc", dict(setting), f"issuer, client_id and more ({reason})") from None
    checked_public_url(options.issuer, "oidc.issuer")
    if not options.issuer.startswith("https://") and not _LOOPBACK.fullmatch(options.issuer):
        raise BadOption("oidc.issuer", options.issuer, "an address that begins with https://")
    if not options.client_id:
        raise BadOption("oidc.client_id", options.client_id, "what the provider calls this server")
    if "openid" not in options.scopes:
        raise BadOption("oidc.scopes", options.scopes, 'a list with "openid"')
    if not options.roles:
        raise BadOption(
            "oidc.roles", options.roles, 'a table such as {"admins": "admin"}: nobody could log in'
        )
    if Role.WORKER in options.roles.values():
        raise BadOption("oidc.roles", Role.WORKER.value, "viewer, operator or admin: workers do not log in")
    if options.namespace and options.namespace_claim:
        raise BadOption("oidc.namespace", options.namespace, "given without namespace_claim")
    if options.namespace and not _is_namespace(options.namespace) and options.namespace != ALL_NAMESPACES:
        raise BadOption("oidc.namespace", options.namespace, "the name of a namespace, or *")
    return options


def identify(
    claims: Mapping[str, Any], options: OidcOptions, own_namespace: str
) -> OidcIdentity | NotAllowed:
    """Who somebody is by the claims of an ID token that was checked."""
    subject = claims.get("sub")
    if not is_name(subject) or len(cast("str", subject)) > _LONGEST_SUBJECT:
        return NotAllowed("the provider does not say who you are (sub)")
    if options.domains and not _is_of_domains(claims, options.domains):
        return NotAllowed(f"only verified addresses of {', '.join(options.domains)} may log in")
    worth = {
        options.roles[value]
        for value in (*_texts(claims, options.role_claim), EVERYBODY)
        if value in options.roles
    }
    role = next((role for role in _RANKS if role in worth), None)
    if role is None:
        return NotAllowed(f"no value of the claim {options.role_claim!r} is worth a role here (oidc.roles)")
    namespace = options.namespace or own_namespace
    if options.namespace_claim:
        named = _texts(claims, options.namespace_claim)
        if len(named) != 1 or not _is_namespace(named[0]):
            return NotAllowed(f"the claim {options.namespace_claim!r} does not name one namespace")
        namespace = named[0]
    return OidcIdentity(f"{options.issuer} {subject}", _name(claims, options.name_claim), role, namespace)


def claim_at(claims: Mapping[str, Any], path: str) -> Any:
    """None if there is none. Names of claims may have dots, as addresses do; so the whole path is tried
    first."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        if not isinstance(found, dict):
            return None
        found = cast("dict[str, Any]", found).get(name)
    return found


def _texts(claims: Mapping[str, Any], path: str) -> Sequence[str]:
    found = claim_at(claims, path)
    several = cast("list[Any]", found) if isinstance(found, list) else [found]
    # `*` has a meaning of its own in the setting, and so nobody gets it from a claim.
    return [each for each in several if isinstance(each, str) and each != EVERYBODY]


def _is_namespace(name: str) -> bool:
    return is_name(name) and name not in (ALL_NAMESPACES, BURIED)


def _is_of_domains(claims: Mapping[str, Any], domains: Sequence[str]) -> bool:
    address = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(address, str):
        return False
    return address.rpartition("@")[2].lower() in {domain.lower() for domain in domains}


def _name(claims: Mapping[str, Any], named: str) -> str:
    """By which somebody is recorded, and may answer questions that are for certain people. So it must be one
    that they cannot choose: `name` is whatever they like, and an address is theirs only if verified."""
    account = claims.get("preferred_username")
    found: list[Any] = [
        claims.get("email") if claims.get("email_verified") is True else None,
        None if "@" in str(account) else account,
    ]
    if named:
        found = [claim_at(claims, named)]
    return next((each for each in (*found, claims.get("sub")) if _is_readable(each)), "somebody")


def _is_readable(name: Any) -> TypeGuard[str]:
    return is_name(name) and len(name) <= _LONGEST_NAME and name.isprintable()
