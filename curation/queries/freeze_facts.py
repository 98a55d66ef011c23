"""The facts that are checked before a release of a run is frozen, fetched and handed to the domain."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256

from django.db.models import Count, F, Q

from annotation.domain.names import tidy
from annotation.models import Flag, Prompt
from annotation.queries.setup import OF_STANDING_MATERIAL
from curation.domain import release_checks as checks
from curation.domain.audit import record
from curation.domain.audit.record import Record
from curation.domain.recipes import WritingPreference
from curation.domain.release import splits
from curation.domain.release_checks import Audited, Lines, Sides, Stratum, Texts
from curation.domain.terms import Check
from curation.models import Run
from curation.queries import freeze_texts
from curation.queries.audits import AuditState
from curation.queries.freeze_texts import MODEL, Hits, Reading

STATED_AS = ("licence", "license")  # among the parameters of a response, where a file said so
LONGEST_LICENCE = 60  # characters
SIDES = {
    "longer": Count("pk", filter=Q(length_chosen__gt=F("length_rejected"))),
    "shorter": Count("pk", filter=Q(length_chosen__lt=F("length_rejected"))),
    "equal": Count("pk", filter=Q(length_chosen=F("length_rejected"))),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of the release, as far as checks depend on it."""

    name: str
    lines: Lines
    heldout_percent: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """`named` are responses that stood out, by the name of the check."""

    checks: tuple[Check, ...]
    named: Mapping[str, tuple[str, ...]]


def checked(run: Run, plan: Plan, *, found: Record, state: AuditState) -> Checked:
    """Every check, in the order of checks.NAMES."""
    recipe = WritingPreference.from_parameters(run.recipe.parameters)
    audited = _audited(found, state)
    reading = freeze_texts.reading(run, names_known=found.state == record.DONE)
    personal, identity = reading.personal.texts_of(reading), _identity(reading, found, state)
    made = (
        checks.quota(_strata(run), plan.lines.target, _quota_of(recipe)),
        _agreement(run, plan.lines.floor),
        _ratings(run),
        checks.length(
            _sides(run.pairs.aggregate(**SIDES)),
            audited,
            is_pruned=recipe.length_symmetry,
            limit=_text(found.limits.longer),
            by_language=_by_language(run),
        ),
        checks.audit(audited),
        _flags(run),
        _licences(run),
        checks.personal(personal),
        checks.identity(identity),
        checks.copies(audited),
        _splits(run, plan),
    )
    named = {checks.PERSONAL: tuple(personal.named), checks.IDENTITY: tuple(identity.named)}
    return Checked(made, named)


def _text(limit: object) -> str | None:
    return None if limit is None else str(limit)


def _quota_of(recipe: WritingPreference) -> int | None:
    """The most that stays of a stratum, where genres and languages are its strata."""
    return recipe.quota if recipe.strata == "language+genre" else None


def _strata(run: Run) -> list[Stratum]:
    rows = (
        run.pairs.values(genre=F("chosen__prompt__genre__key"), language=F("chosen__prompt__language"))
        .annotate(pairs=Count("pk"))
        .order_by("genre", "language")
    )
    return [Stratum(row["genre"] or "", row["language"], row["pairs"]) for row in rows]


def _agreement(run: Run, floor: Fraction | None) -> Check:
    alpha = run.agreement["alpha"]["ordinal"]
    acceptable = f"{float(run.project.alpha_acceptable):g}"
    return checks.agreement(alpha["value"], (alpha["low"], alpha["high"]), acceptable, floor)


def _ratings(run: Run) -> Check:
    asked = run.project.annotators_per_response
    row = run.pairs.aggregate(below=Count("pk", filter=Q(k__lt=asked)))
    fewest = run.pairs.order_by("k").values_list("k", flat=True).first() or 0
    return checks.ratings(asked, fewest, row["below"])


def _sides(row: Mapping[str, int]) -> Sides:
    return Sides(**{name: row[name] for name in SIDES})


def _by_language(run: Run) -> dict[str, Sides]:
    rows = run.pairs.values("chosen__prompt__language").annotate(**SIDES)
    return {row["chosen__prompt__language"]: _sides(row) for row in rows}


def _audited(found: Record, state: AuditState) -> Audited:
    base = Audited(found.state, found.is_within, tuple(each.key for each in found.exceeded))
    if found.found is None:
        return base
    numbers = found.found.counts()
    return replace(
        base,
        earlier_exact=numbers["earlier_exact"],
        earlier_near=numbers["earlier_near"],
        most_exact=found.limits.earlier_exact,
        most_near=found.limits.earlier_near,
        compared=found.found.earlier,
        newer=state.newer,
    )


def _flags(run: Run) -> Check:
    """Open ones on prompts and responses of the pairs."""
    responses = freeze_texts.responses_of(run)
    found = Flag.objects.filter(OF_STANDING_MATERIAL, project=run.project, state=Flag.State.OPEN).filter(
        Q(response__in=responses.values("pk")) | Q(prompt__in=responses.values("prompt"))
    )
    rows = list(found.values_list("response", "prompt"))
    return checks.flags(len(rows), len(set(rows)))


def _licences(run: Run) -> Check:
    """A file may bring a licence among the facts of a response; there is no other place where one is stated."""
    responses = freeze_texts.responses_of(run)
    given = Q(parameters__has_any_keys=STATED_AS)
    stated: Counter[str] = Counter()
    for parameters in responses.filter(given).values_list("parameters", flat=True).iterator():
        told = next((parameters[key] for key in STATED_AS if parameters.get(key)), "")
        if isinstance(told, str) and tidy(told):
            stated[tidy(told)[:LONGEST_LICENCE]] += 1
    return checks.licences(responses.count(), dict(sorted(stated.items())))


def _identity(reading: Reading, found: Record, state: AuditState) -> Texts:
    """Names of models are the audit's where there is one, which read every text."""
    own = reading.identity
    if found.found is None:
        return own.texts_of(reading)
    leaks = state.result["leaks"]
    by_audit = [leak["response"] for leak in leaks["named"]]
    both = Hits()
    both.named = list(dict.fromkeys([*by_audit, *own.named]))[: checks.MOST_NAMED]
    both.texts = leaks["responses"] + own.texts - len({*by_audit} & {*own.named})
    both.kinds = own.kinds + Counter({MODEL: leaks["responses"]})
    return both.texts_of(reading)


def _splits(run: Run, plan: Plan) -> Check:
    prompts = Prompt.objects.filter(pk__in=freeze_texts.responses_of(run).values("prompt"))
    split = splits.of_prompts(plan.name, plan.heldout_percent)
    of, same = {}, defaultdict(list)
    for prompt, text in prompts.order_by("pk").values_list("external_id", "text").iterator():
        of[prompt] = split(prompt)
        if words := " ".join(text.split()).casefold():
            same[sha256(words.encode("utf-8", "surrogatepass")).digest()].append(prompt)
    return checks.splits(of, [group for group in same.values() if len(group) > 1])
