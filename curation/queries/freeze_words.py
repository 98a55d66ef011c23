"""The checks before freezing in words: what each is called and means, and what its numbers say.

They are said of the checks as they are kept, so that the page of a release says what the page of its freeze did.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from curation.domain import release_checks as names
from curation.domain.terms import Check
from curation.queries.audit_words import LIMITS, limit_in_words
from curation.queries.freeze_texts import ITSELF, MODEL

Detail = Mapping[str, Any]

TITLES = {
    names.QUOTA: gettext_lazy("Pairs of each genre and language"),
    names.AGREEMENT: gettext_lazy("Agreement"),
    names.RATINGS: gettext_lazy("Scores behind each pair"),
    names.LENGTH: gettext_lazy("Length"),
    names.AUDIT: gettext_lazy("Signal audit"),
    names.FLAGS: gettext_lazy("Open flags"),
    names.LICENCES: gettext_lazy("Licences of the sources"),
    names.PERSONAL: gettext_lazy("Personal data"),
    names.IDENTITY: gettext_lazy("Texts that give their source away"),
    names.COPIES: gettext_lazy("Texts of earlier releases"),
    names.SPLITS: gettext_lazy("Splits"),
}
MEANINGS = {
    names.QUOTA: gettext_lazy("A part with few pairs says little of a model, and nothing of it alone."),
    names.AGREEMENT: gettext_lazy(
        "How far annotators give the same scores. The lower it is, the more a pair is the taste of a few."
    ),
    names.RATINGS: gettext_lazy("By how many annotators, who scored both texts, a pair was decided."),
    names.LENGTH: gettext_lazy(
        "Where the longer text wins more often, a judge that only measures length gains by it."
    ),
    names.AUDIT: gettext_lazy("What a machine could guess of the pairs without reading them."),
    names.FLAGS: gettext_lazy("Doubts about texts of these pairs or their prompts that nobody has settled."),
    names.LICENCES: gettext_lazy(
        "Who passes texts on needs leave to. Plumb knows what the files said; ask whoever made them about the rest."
    ),
    names.PERSONAL: gettext_lazy(
        "E-mail addresses, telephone numbers and names of people of the project, in texts, prompts and what annotators "
        "wrote of them. A release cannot be taken back."
    ),
    names.IDENTITY: gettext_lazy(
        "A text that names its model, or speaks of itself as a machine, is not judged for its writing alone."
    ),
    names.COPIES: gettext_lazy(
        "Other responses with the same text, or nearly, were released before. Who trained on them has seen these."
    ),
    names.SPLITS: gettext_lazy(
        "A prompt is held out whole. Where the same prompt stands under two ids, both have to be on one side."
    ),
}
KINDS = {
    "email": gettext_lazy("e-mail addresses"),
    "phone": gettext_lazy("telephone numbers"),
    "name": gettext_lazy("names of people of the project"),
    MODEL: gettext_lazy("names of models"),
    ITSELF: gettext_lazy("speaking of itself as a machine"),
}


def says(check: Check) -> str:
    """What the numbers of the check say."""
    return SAYINGS[check.name](check.detail)


def number(value: int) -> str:
    return number_format(value, force_grouping=True)


def sentences(one: str, other: str) -> str:
    return pgettext("two sentences", "%(one)s %(other)s") % {"one": one, "other": other}


def counted(what: str, times: int) -> str:
    return pgettext("something and how many", "%(what)s (%(n)s)") % {"what": what, "n": number(times)}


def listed(parts: list[str]) -> str:
    return pgettext("between items of a list", "; ").join(parts)


def _quota(detail: Detail) -> str:
    target, short, strata = detail["target"], detail["short"], len(detail["strata"])
    if target is None:
        return _("No number is asked for. Set one below, and the pairs are held against it.")
    if not short:
        return _("Each has the %(target)s pairs that are asked for.") % {"target": number(target)}
    told = ngettext(
        "%(short)d of %(n)d has fewer than the %(target)s pairs that are asked for.",
        "%(short)d of %(n)d have fewer than the %(target)s pairs that are asked for.",
        short,
    )
    return told % {"short": short, "n": strata, "target": number(target)}


def _agreement(detail: Detail) -> str:
    if detail["alpha"] is None:
        return _("Krippendorff's alpha is not defined.")
    told = _("Krippendorff's alpha (ordinal) is %(value)s; the project calls it acceptable from %(line)s on.")
    found = told % {"value": f"{detail['alpha']:.3f}", "line": detail["acceptable"]}
    if detail["floor"] is None:
        return sentences(found, _("No least value is set, so it holds nothing up."))
    return sentences(found, _("At least %(floor)s is asked for.") % {"floor": detail["floor"]})


def _ratings(detail: Detail) -> str:
    if not detail["below"]:
        told = _("Every pair rests on at least %(asked)d annotators who scored both, as the project asks.")
        return told % {"asked": detail["asked"]}
    told = ngettext(
        "%(n)s pair rests on fewer annotators who scored both than the %(asked)d that the project asks of a "
        "response; the fewest are %(fewest)d.",
        "%(n)s pairs rest on fewer annotators who scored both than the %(asked)d that the project asks of a "
        "response; the fewest are %(fewest)d.",
        detail["below"],
    )
    return told % {"n": number(detail["below"]), "asked": detail["asked"], "fewest": detail["fewest"]}


def _length(detail: Detail) -> str:
    longer, shorter, equal = detail["longer"], detail["shorter"], detail["equal"]
    pairs = longer + shorter + equal
    told = _(
        "The longer text wins in %(longer)s pairs, the shorter in %(shorter)s; of %(equal)s both are as long: "
        "%(share)s %%."
    )
    share = 100 * (2 * longer + equal) / (2 * pairs) if pairs else 50.0
    found = told % {
        "longer": number(longer),
        "shorter": number(shorter),
        "equal": number(equal),
        "share": f"{share:.2f}",
    }
    by_language = _by_language(detail.get("languages", {}))
    found = sentences(found, by_language) if by_language else found
    if detail["pruned"]:
        return sentences(found, _("The recipe keeps as many of one as of the other."))
    if detail["limit"] is None:
        return sentences(found, _("No limit is set."))
    return sentences(found, _("Allowed: %(limit)s.") % {"limit": limit_in_words("longer", detail["limit"])})


def _by_language(languages: Mapping[str, Sequence[int]]) -> str:
    """What cancels out over languages, where there are several and they lean."""
    if len(languages) < 2 or all(longer == shorter for longer, shorter in languages.values()):
        return ""
    told = _("%(language)s: %(longer)s to %(shorter)s")
    listed = pgettext("between items of a list", "; ").join(
        told % {"language": name or "?", "longer": number(longer), "shorter": number(shorter)}
        for name, (longer, shorter) in languages.items()
    )
    message = _("Longer to shorter by language: %(listed)s. With strata=language each is balanced by itself.")
    return message % {"listed": listed}


def _audit(detail: Detail) -> str:
    if detail["state"] == "failed":
        return _("The audit failed.")
    if detail["state"] != "done":
        return _("The pairs have not been audited yet.")
    outside = detail["exceeded"]
    if not outside:
        return _("The pairs are within every limit that is set.")
    told = ngettext(
        "The pairs are outside %(n)d limit: %(limits)s.",
        "The pairs are outside %(n)d limits: %(limits)s.",
        len(outside),
    )
    return told % {"n": len(outside), "limits": listed([str(LIMITS[key]) for key in outside])}


def _flags(detail: Detail) -> str:
    n = detail["flags"]
    if not n:
        return _("No flag on these texts waits for a decision.")
    told = ngettext(
        "%(n)s flag on these texts waits for a decision.",
        "%(n)s flags on these texts wait for a decision.",
        n,
    )
    return told % {"n": number(n)}


def _licences(detail: Detail) -> str:
    stated = listed([counted(licence, n) for licence, n in sorted(detail["stated"].items())])
    if not detail["unstated"]:
        return _("Stated for every response: %(stated)s.") % {"stated": stated}
    if not stated:
        return _("Nobody has said under which licence the texts came.")
    told = ngettext(
        "Not stated for %(n)s response. Stated: %(stated)s.",
        "Not stated for %(n)s responses. Stated: %(stated)s.",
        detail["unstated"],
    )
    return told % {"n": number(detail["unstated"]), "stated": stated}


def _texts(detail: Detail) -> str:
    n, read, of = detail["texts"], detail["read"], detail["of"]
    if n:
        told = ngettext("%(n)s text stands out: %(kinds)s.", "%(n)s texts stand out: %(kinds)s.", n)
        kinds = listed(
            [counted(str(KINDS[kind]), times) for kind, times in sorted(detail.get("kinds", {}).items())]
        )
        found = told % {"n": number(n), "kinds": kinds}
    else:
        found = _("Nothing was found.")
    if read >= of:
        return sentences(found, _("All %(of)s texts were read.") % {"of": number(of)})
    told = _("%(read)s of %(of)s texts were read so far. Check again to read on.")
    return sentences(found, told % {"read": number(read), "of": number(of)})


def _copies(detail: Detail) -> str:
    if detail["exact"] is None:
        return _("They are compared by the audit.")
    told = _("Against %(compared)s texts: %(exact)s the same, %(near)s nearly the same.")
    found = told % {
        "compared": number(detail["compared"]),
        "exact": number(detail["exact"]),
        "near": number(detail["near"]),
    }
    if not detail["newer"]:
        return found
    newer = ngettext(
        "%(n)d release was frozen since. Run the audit again.",
        "%(n)d releases were frozen since. Run the audit again.",
        detail["newer"],
    )
    return sentences(found, newer % {"n": detail["newer"]})


def _splits(detail: Detail) -> str:
    if detail["torn"]:
        told = ngettext(
            "%(n)d prompt stands on both sides, under different ids.",
            "%(n)d prompts stand on both sides, under different ids.",
            detail["torn"],
        )
        return told % {"n": detail["torn"]}
    if not detail["heldout"]:
        return _("All %(n)s prompts are public, so none is on two sides.") % {"n": number(detail["prompts"])}
    told = _("%(heldout)s of %(n)s prompts are held out, and none is on two sides.")
    return told % {"heldout": number(detail["heldout"]), "n": number(detail["prompts"])}


SAYINGS: Mapping[str, Callable[[Detail], str]] = {
    names.QUOTA: _quota,
    names.AGREEMENT: _agreement,
    names.RATINGS: _ratings,
    names.LENGTH: _length,
    names.AUDIT: _audit,
    names.FLAGS: _flags,
    names.LICENCES: _licences,
    names.PERSONAL: _texts,
    names.IDENTITY: _texts,
    names.COPIES: _copies,
    names.SPLITS: _splits,
}
