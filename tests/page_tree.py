"""A page as a tree, so that a test can ask for the text of a part of it."""

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes = tag, attributes
        self.parts: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name] or ""

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def strings(self) -> Iterator[str]:
        for part in self.parts:
            yield from [part] if isinstance(part, str) else part.strings()

    @property
    def text(self) -> str:
        """As it is read: white space is one space."""
        return " ".join(" ".join(self.strings()).split())

    def all(self, *tags: str, **attributes: str) -> list["Element"]:
        """Elements within of one of these tags, if any are named, with these attributes; `class_` is one of several."""
        return [each for each in self._within() if each._is(tags, attributes)]

    def one(self, *tags: str, **attributes: str) -> "Element":
        return self.all(*tags, **attributes)[0]

    def _within(self) -> Iterator["Element"]:
        for part in self.parts:
            if isinstance(part, Element):
                yield part
                yield from part._within()

    def _is(self, tags: tuple[str, ...], attributes: dict[str, str]) -> bool:
        if tags and self.tag not in tags:
            return False
        return all(
            value in self.classes
            if name == "class_"
            else self.attributes.get(name.replace("_", "-")) == value
            for name, value in attributes.items()
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while len(self.open) > 1 and self.open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def tree(content: bytes) -> Element:
    reader = _Reader()
    reader.feed(content.decode())
    return reader.root
