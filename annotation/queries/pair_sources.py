"""What rounds of pairs and of cross-lingual validation are made of, and who could judge it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.domain.pair_sampling import draw, draw_evenly, pairs_within, seats
from annotation.domain.reach import covers, primary, works_in_all
from annotation.models import Project, Prompt, Response, Round, Score
from annotation.queries import rounds, stages
from annotation.queries.consensus import set_aside
from annotation.queries.people import language_name

Pair = tuple[int, int]  # primary keys of two responses to one prompt


def judgeable(project: Project) -> QuerySet[Response]:
    """Active responses that are no texts of exams, courses and calibrations."""
    active = Response.objects.filter(project=project, state=Response.State.ACTIVE)
    return active.exclude(pk__in=set_aside(project).values("pk"))


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs that can be judged, of which prompt each is, and what each is called in a draw."""

    names: Mapping[Pair, tuple[str, ...]]
    prompts: Mapping[Pair, int]

    def drawn(self, sample: int | None, *, seed: str) -> list[Pair]:
        return draw(self.names, sample, seed=seed)

    def drawn_evenly(self, sample: int | None, *, seed: str) -> list[Pair]:
        """No prompt gives a second pair before each has given its first."""
        by_prompt: dict[int, dict[Pair, tuple[str, ...]]] = {}
        for pair, names in self.names.items():
            by_prompt.setdefault(self.prompts[pair], {})[pair] = names
        return draw_evenly(by_prompt.values(), sample, seed=seed)


def of_pairs(project: Project, pairs: Iterable[Pair]) -> Pairs:
    """Those of the pairs, in either order, whose two responses can be judged and answer the same prompt."""
    asked = {(min(pair), max(pair)) for pair in pairs}
    found = {
        pk: (name, prompt)
        for pk, name, prompt in judgeable(project)
        .filter(pk__in={response for pair in asked for response in pair})
        .values_list("pk", "external_id", "prompt")
    }
    kept = [
        pair for pair in asked if pair[0] != pair[1] and {*pair} <= found.keys() and _same_prompt(pair, found)
    ]
    return _pairs(kept, found)


def of_prompts(project: Project, prompts: Sequence[int]) -> Pairs:
    """Every two responses to these prompts; two that say the same make no pair."""
    rows = judgeable(project).filter(prompt__in=prompts).order_by("pk")
    texts: dict[int, dict[int, str]] = {}
    found: dict[int, tuple[str, int]] = {}
    for pk, name, prompt, digest in rows.values_list("pk", "external_id", "prompt", "text_sha256"):
        texts.setdefault(prompt, {})[pk] = digest
        found[pk] = (name, prompt)
    return _pairs([pair for each in texts.values() for pair in pairs_within(each)], found)


def _same_prompt(pair: Pair, found: Mapping[int, tuple[str, int]]) -> bool:
    return found[pair[0]][1] == found[pair[1]][1]


def _pairs(pairs: Iterable[Pair], found: Mapping[int, tuple[str, int]]) -> Pairs:
    kept = sorted(pairs)
    names = {(one, other): tuple(sorted((found[one][0], found[other][0]))) for one, other in kept}
    return Pairs(names, {pair: found[pair[0]][1] for pair in kept})


# --- Cross-lingual validation --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LanguageSample:
    """What a validation would ask in one language."""

    key: str
    name: str
    texts: int  # that could be asked about
    drawn: int


@dataclass(frozen=True, slots=True)
class Validation:
    """A sample of scored responses in several languages, and who of the validators scores which prompt's anew."""

    responses: Mapping[int, int]  # prompt by response
    seats: Mapping[int, tuple[int, ...]]  # memberships by prompt
    languages: tuple[LanguageSample, ...]
    validators: int  # who work in every one of the languages

    @property
    def is_whole(self) -> bool:
        """Every language gives what was asked of it, so that they can be compared."""
        return bool(self.languages) and len({each.drawn for each in self.languages} - {0}) == 1


def languages_of(project: Project) -> list[tuple[str, str]]:
    """(primary subtag, name) of the languages in which responses have been scored live."""
    spoken = _scored(project).values_list("prompt__language", flat=True).distinct()
    keys = sorted({primary(language) for language in spoken} - {""})
    return [(key, language_name(key)) for key in keys]


def validation(
    project: Project, languages: Sequence[str], *, sample: int, each: int, seed: str
) -> Validation:
    """`sample` responses of each language, each for `each` validators who have not worked on its prompt before."""
    people = bilingual(project, languages)
    rows = list(
        _scored(project)
        .values_list(
            "pk", "external_id", "prompt", "prompt__language", "prompt__genre", "prompt__genre__parent"
        )
        .order_by("pk")
    )
    knows = _known(project)
    able = {
        prompt: [one for one, reach in people.items() if covers(reach, spoken, parent or genre)]
        for _pk, _name, prompt, spoken, genre, parent in rows
    }
    able = {prompt: [one for one in each_ if (one, prompt) not in knows] for prompt, each_ in able.items()}
    names: dict[str, dict[int, tuple[str, ...]]] = {language: {} for language in languages}
    prompts: dict[int, int] = {}
    for pk, name, prompt, spoken, _genre, _parent in rows:
        if primary(spoken) in names and len(able[prompt]) >= each:
            names[primary(spoken)][pk] = (name,)
            prompts[pk] = prompt
    drawn = {language: draw(found, sample, seed=seed) for language, found in names.items()}
    responses = {pk: prompts[pk] for found in drawn.values() for pk in found}
    work = dict.fromkeys(responses.values(), 0)
    for prompt in responses.values():
        work[prompt] += 1
    return Validation(
        responses=responses,
        seats=seats({prompt: able[prompt] for prompt in work}, work, each=each, seed=seed),
        languages=tuple(
            LanguageSample(key, language_name(key), len(names[key]), len(drawn[key])) for key in languages
        ),
        validators=len(people),
    )


def bilingual(project: Project, languages: Sequence[str]) -> dict[int, Mapping[str, frozenset[int] | None]]:
    """Reach by membership of the annotators who can be given texts to validate in every one of the languages."""
    present = set(rounds.annotators(project).values_list("pk", flat=True))
    reaches = stages.reaches(project, purpose=Round.Purpose.VALIDATION)
    return {
        one: reach
        for one, reach in sorted(reaches.items())
        if one in present and works_in_all(reach, languages)
    }


def _scored(project: Project) -> QuerySet[Response]:
    """Responses with a live score that counts: those whose scores a validation checks."""
    live = Score.objects.filter(
        round__project=project, round__purpose=Round.Purpose.LIVE, standing=Score.Standing.COUNTED
    )
    return judgeable(project).filter(pk__in=live.values("response"))


def _known(project: Project) -> set[tuple[int, int]]:
    """(annotator, prompt) where the annotator has scored or holds a text of the prompt, in whichever round."""
    prompts = Prompt.objects.filter(project=project)
    held = Q(assignments__annotator__isnull=False)
    given = prompts.filter(held).values_list("assignments__annotator", "pk")
    scores = Score.objects.filter(round__project=project).values_list("annotator", "response__prompt")
    return {*given.distinct(), *scores.distinct()}
