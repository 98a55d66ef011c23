"""Rules for passwords: long enough, not common, not the person's own name or address. Any character will do."""

from django.contrib.auth.password_validation import MinimumLengthValidator
from django.utils.translation import gettext as _


class LongEnough(MinimumLengthValidator):
    """Django's own, in words that are translated."""

    def get_error_message(self) -> str:
        return _("This password is too short: use at least %(least)d characters.") % {
            "least": self.min_length
        }
