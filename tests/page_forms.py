"""What a browser would send of a form that a page shows."""

from html.parser import HTMLParser

Sent = dict[str, list[str]]


class _Controls(HTMLParser):
    """Collects the successful controls of the form with one id, as HTML defines them; its buttons send nothing."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.form = form
        self.inside = False
        self.sent: Sent = {}
        self.select = ""
        self.first: str | None = None
        self.is_chosen = False
        self.area = ""
        self.text = ""

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        given = dict(pairs)
        if tag == "form":
            self.inside = given.get("id") == self.form
        elif self.inside and tag == "input" and given.get("name"):
            self._input(given)
        elif self.inside and tag == "select":
            self.select, self.first, self.is_chosen = given.get("name") or "", None, False
        elif self.inside and tag == "textarea":
            self.area, self.text = given.get("name") or "", ""
        elif tag == "option" and self.select:
            value = given.get("value") or ""
            self.first = value if self.first is None else self.first
            if "selected" in given:
                self.is_chosen = True
                self._send(self.select, value)

    def handle_data(self, data: str) -> None:
        if self.area:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.area:
            # A line end right behind the tag is no part of the text; browsers send all others as CRLF.
            text = self.text.replace("\r\n", "\n").removeprefix("\n")
            self._send(self.area, text.replace("\n", "\r\n"))
            self.area = ""
        if tag == "select" and self.select:
            if not self.is_chosen and self.first is not None:
                self._send(self.select, self.first)
            self.select = ""
        elif tag == "form":
            self.inside = False

    def _input(self, given: dict[str, str | None]) -> None:
        is_ticked = given.get("type") in ("radio", "checkbox")
        if is_ticked and "checked" not in given:
            return
        self._send(given["name"] or "", given.get("value", "on" if is_ticked else "") or "")

    def _send(self, name: str, value: str) -> None:
        self.sent.setdefault(name, []).append(value)


def sent_by(page: str, form: str) -> Sent:
    """The names and values that the form would send as the page shows it."""
    controls = _Controls(form)
    controls.feed(page)
    return {name: values for name, values in controls.sent.items() if name != "csrfmiddlewaretoken"}
