"""How the reader wants pages to look: as the account says, and for the rest as the device does."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Reader:
    """What templates/base.html writes on the root element; "" for what is as usual."""

    theme: str
    text_size: str
    text_face: str
    shortcuts: bool
    device_key: (
        str  # under which a device keeps what this person has not submitted; "" for who is not signed in
    )


def reader(request: HttpRequest) -> dict[str, Reader]:
    """A context processor."""
    user = getattr(request, "user", None)
    on_device = request.COOKIES.get("theme", "")
    theme = on_device if on_device in THEMES else ""
    if user is None or not user.is_authenticated:
        return {"reader": Reader(theme, "", "", shortcuts=True, device_key="")}
    size = "" if user.text_size == user.TextSize.MEDIUM else user.text_size
    key = salted_hmac("plumb.device", str(user.pk)).hexdigest()[:16]
    return {"reader": Reader(user.theme or theme, size, user.text_face, user.shortcuts, key)}
