"""In which languages and genres somebody can be given a text."""

from collections.abc import Mapping

from annotation.domain.text import CHINESE

ENGLISH = frozenset({"en", "eng", "english"})

ANY_LANGUAGE = "any"  # in addresses, for whoever was asked for no language

# Macro-categories by language (primary subtag; "" for any language). An empty set: every genre.
Reach = Mapping[str, frozenset[int]]
ANYTHING: Reach = {"": frozenset()}


def primary(language: str) -> str:
    """The primary subtag: 'zh' of 'zh-Hans' and of 'Chinese'; "" where unknown."""
    subtag = language.strip().casefold().replace("_", "-").partition("-")[0]
    if subtag in CHINESE:
        return "zh"
    return "en" if subtag in ENGLISH else subtag


def covers(reach: Reach, language: str, genre: int | None = None) -> bool:
    """Whether a text in `language` ("": unknown) and of that macro-category (None: of none) is within reach."""
    genres = genres_within(reach, language)
    return genres is not None and (not genres or genre is None or genre in genres)


def genres_within(reach: Reach, language: str) -> frozenset[int] | None:
    """Macro-categories in which a text in `language` ("": unknown) is within reach: empty for all, None for no text."""
    key = primary(language)
    held = [reach[each] for each in (key, "") if each in reach] if key else list(reach.values())
    if not held:
        return None
    return frozenset() if not all(held) else frozenset().union(*held)
