"""In which languages and genres somebody can be given a text."""

from collections.abc import Collection, Mapping

from annotation.domain.text import CHINESE

ENGLISH = frozenset({"en", "eng", "english"})

ANY_LANGUAGE = "any"  # in addresses, for whoever was asked for no language

# Macro-categories by language (primary subtag; "" for every language without an entry of its own). An empty set:
# every genre. None: no text in that language.
Reach = Mapping[str, frozenset[int] | None]
ANYTHING: Reach = {"": frozenset()}


# Between the languages of a round that is for those alone who work in each of them.
AND = "+"


def languages_of(kept: str) -> tuple[str, ...]:
    """The languages that a round is for, as it keeps them: of 'en+zh' both, of "" none, which is any."""
    return tuple(each for each in kept.split(AND) if each)


def works_in_all(reach: Reach, languages: Collection[str]) -> bool:
    return all(genres_within(reach, language) is not None for language in languages)


def of_languages(languages: Collection[str]) -> Reach:
    """Of somebody who reads these (primary subtags), in every genre; of somebody who reads any where there are none."""
    return dict.fromkeys(languages, frozenset()) or ANYTHING


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
    if key:
        return reach[key] if key in reach else reach.get("")
    held = [genres for genres in reach.values() if genres is not None]
    if not held:
        return None
    return frozenset() if not all(held) else frozenset().union(*held)


def is_barred(reach: Reach, language: str) -> bool:
    """Whether the language has an entry of its own that lets no text in, whoever would give it."""
    return reach.get(primary(language), frozenset()) is None
