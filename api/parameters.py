"""What may stand behind the question mark of an address."""

from rest_framework.exceptions import ParseError


class UnknownParameter(ParseError):
    default_code = "unknown_parameter"


class BadParameter(ParseError):
    default_code = "bad_parameter"


class BadCursor(ParseError):
    default_code = "bad_cursor"
    default_detail = "This is no cursor of this list. Follow next and previous as they are given."
