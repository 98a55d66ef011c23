"""What stands behind the `type` of a problem. Codes of the interface itself are described here one by one.

The services have some hundred codes of their own, each with a sentence that is made where it refuses; of these the
title is the code in words, so that a new one needs no entry.
"""

from collections.abc import Mapping

BASE = "/api/v1/problems/"
OF_SERVICES = (
    "The state of things, or a rule of the project, does not allow what was asked. The sentence in `detail` says "
    "what stands in the way; the code of the problem stays the same from version to version."
)
PROBLEMS: Mapping[str, str] = {
    "parse_error": "The body is not what this address takes: not JSON read strictly, not one object, or not in UTF-8.",
    "bad_request": "The request itself cannot be read, so nothing was done.",
    "unknown_parameter": "A name in the address or the body is not known here, or stands there twice.",
    "bad_parameter": "The value of a parameter in the address is not one that can be asked for.",
    "bad_cursor": "The cursor is not one of this list in this order. Follow `next` and `previous` as they are given.",
    "invalid": "A field of the body has the wrong type or is missing; `errors` says which.",
    "not_authenticated": "No bearer token came with the request.",
    "authentication_failed": "The token is unknown, expired or revoked, or the header is not written as it should be.",
    "token_in_address": "A token stands in the address, where logs keep it. It belongs in the header Authorization. "
    "Revoke it and make another.",
    "scope_missing": "The token was not made for this; `scope` names what it would need.",
    "token_limited": "The token is limited to one project, and this would reach beyond it.",
    "permission_denied": "The token's owner may not do this.",
    "not_found": "There is no such thing here, or this token may not see it; both are told alike.",
    "method_not_allowed": "The address is there, but not with this method; the header Allow lists those it has.",
    "not_acceptable": "None of the types that the header Accept names is given here.",
    "unsupported_media_type": "The body is of a type that this address does not take.",
    "too_large": "The body is larger than this address takes.",
    "bad_idempotency_key": "The header Idempotency-Key has between 1 and 200 printable characters of ASCII.",
    "idempotency_conflict": "The key was used for another request within the last 24 hours. Nothing was done.",
    "in_progress": "A request with this key is being done at this moment. Ask again in a second.",
    "answer_not_kept": "The request with this key was done. Its answer showed a secret, so it was not kept.",
    "throttled": "Too many requests; the header Retry-After says in how many seconds to come again.",
    "server_error": "A fault of the server. `instance` is the reference by which its operators find it in the log.",
}


def address(code: str) -> str:
    return f"{BASE}{code}/"


def title(code: str) -> str:
    return code.replace("_", " ").capitalize()


def description(code: str) -> str:
    return PROBLEMS.get(code, OF_SERVICES)
