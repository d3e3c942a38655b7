"""Checks ID tokens: that the provider has signed them, for us, for this login, and not long ago.

Only algorithms with public keys are taken. With a shared secret, a token that somebody has signed with our
public key as the secret would count; and `none` is no signature at all.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from holdfast.server.access.refusals import LoginRefused

ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA",
)  # fmt: skip
_KINDS: Final[dict[str, Any]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
_LEEWAY: Final = 60
"""By so many seconds may the clocks differ."""
_LATEST: Final = 253_402_300_799
"""The end of the year 9999, in seconds since 1970."""
_LONGEST: Final = 100_000

PublicKey = RSAKey | ECKey | OKPKey


class Expected(NamedTuple):
    issuer: str
    client_id: str
    nonce: str


class UnknownKey(Exception):
    """None of the keys is that of the token. The provider may have new ones."""


def read_keys(document: Mapping[str, Any]) -> Sequence[PublicKey]:
    """The public keys for signatures in a set of keys. Others are left out."""
    given = document.get("keys")
    found: list[PublicKey] = []
    for one in cast("list[Any]", given) if isinstance(given, list) else []:
        each = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        kind = _KINDS.get(str(each.get("kty")))
        if kind is not None and each.get("use", "sig") == "sig":
            public = {name: value for name, value in each.items() if name not in ("d", "key_ops")}
            try:
                found.append(kind.import_key(public))
            except (JoseError, ValueError, TypeError):
                continue  # a kind of key that only newer versions know
    return found


def check_id_token(
    token: str, keys: Sequence[PublicKey], expected: Expected, now: float
) -> Mapping[str, Any]:
    """The claims. Raises LoginRefused and UnknownKey."""
    if len(token) > _LONGEST:
        raise LoginRefused("the ID token is too long")
    try:
        header = jws.extract_compact(token.encode()).headers()
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise LoginRefused(f"the ID token is signed with {algorithm!r}, which is not taken")
        claims = jwt.decode(token, _key(keys, key_id), algorithms=[algorithm]).claims
    except (JoseError, ValueError, TypeError) as error:
        raise LoginRefused(f"the ID token is not valid: {error}") from None
    _check_claims(claims, expected, now)
    return claims


def _key(keys: Sequence[PublicKey], id: Any) -> PublicKey:
    fitting = [key for key in keys if id is None or key.kid == id]
    if len(fitting) != 1:
        raise UnknownKey
    return fitting[0]


def _check_claims(claims: Mapping[str, Any], expected: Expected, now: float) -> None:
    """Raises LoginRefused."""
    if claims.get("iss") != expected.issuer:
        raise LoginRefused("the ID token is of another issuer")
    audience = claims.get("aud")
    audiences = cast("list[Any]", audience) if isinstance(audience, list) else [audience]
    if expected.client_id not in audiences:
        raise LoginRefused("the ID token is for another client (aud)")
    party = claims.get("azp")
    if party != expected.client_id and (party is not None or len(audiences) > 1):
        raise LoginRefused("the ID token was given to another client (azp)")
    if _seconds(claims, "exp") <= now - _LEEWAY:
        raise LoginRefused("the ID token has expired")
    if _seconds(claims, "iat") > now + _LEEWAY:
        raise LoginRefused("the ID token is of the future (iat)")
    if "nbf" in claims and _seconds(claims, "nbf") > now + _LEEWAY:
        raise LoginRefused("the ID token is not valid yet (nbf)")
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not hmac.compare_digest(
        nonce.encode(errors="replace"), expected.nonce.encode()
    ):
        raise LoginRefused("the ID token is of another login (nonce)")


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    found = claims.get(name)
    # Whatever is compared with NaN, the answer is no.
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= _LATEST:
        raise LoginRefused(f"the ID token does not say when ({name})")
    return found
