"""Sentences that are made where no framework is known, and can be said again in the reader's language.

`say` marks its template for translation (config/babel.cfg) and returns an ordinary English string that still
knows its template and its values.
"""

import json
from collections.abc import Mapping


class Said(str):
    """An English sentence with the template and the values it was made of."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> "Said":
        self = super().__new__(cls, template.format(**values))
        self.template = template
        self.values = dict(values)
        return self

    def as_dict(self) -> dict[str, object]:
        return {"template": self.template, "values": dict(self.values)}


def say(template: str, **values: object) -> Said:
    """A sentence from a `str.format` template with named fields."""
    return Said(template, values)


def as_dict(sentence: str) -> dict[str, object]:
    """What JSON keeps of any sentence; one without a template stays as it is in every language."""
    if isinstance(sentence, Said):
        return sentence.as_dict()
    return {"template": "{sentence}", "values": {"sentence": sentence}}


def as_text(sentence: str) -> str:
    """What a column of text keeps of any sentence: JSON of template and values where these differ from what it
    says, else the sentence itself."""
    if isinstance(sentence, Said) and sentence.template != sentence:
        return json.dumps(sentence.as_dict(), default=str)
    return str(sentence)


def from_text(text: str) -> str:
    """The sentence that `as_text` kept; any other text is a sentence without a template."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    match found:
        case {"template": str(template), "values": dict(values)} if len(found) == 2:
            return Said(template, values)
    return text
