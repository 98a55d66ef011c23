"""What an audit's signals, limits and reasons are called, and what is said of a limit that is not met."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from curation.domain.audit.found import COUNTS
from curation.domain.audit.limits import RATES, Excess

# A guess picks the side that it names here.
SIGNALS = {
    "longer": gettext_lazy("The longer one"),
    "paragraphs": gettext_lazy("More paragraphs"),
    "markdown": gettext_lazy("More Markdown"),
    "quotation_marks": gettext_lazy("More quotation marks"),
    "type_token_ratio": gettext_lazy("More different words"),
    "source_model": gettext_lazy("The model that wins elsewhere"),
    "logistic": gettext_lazy("Logistic model of all this"),
}
NUMBERS = {
    "exact": gettext_lazy("Same text within the run"),
    "near": gettext_lazy("Nearly the same text within the run"),
    "earlier_exact": gettext_lazy("Same text in an earlier release"),
    "earlier_near": gettext_lazy("Nearly the same text in an earlier release"),
    "leaks": gettext_lazy("Texts that name a model"),
}
LIMITS = {**SIGNALS, **NUMBERS}
# What each limit is, and why one would set it.
MEANINGS = {
    "longer": gettext_lazy(
        "How far from 50 % the longer text may win. A judge that only measures length then gains nothing."
    ),
    "paragraphs": gettext_lazy("The same for the text with more paragraphs."),
    "markdown": gettext_lazy(
        "The same for the text with more marks of Markdown: headings, lists, bold, links, code."
    ),
    "quotation_marks": gettext_lazy(
        "The same for the text with more quotation marks, which is mostly dialogue."
    ),
    "type_token_ratio": gettext_lazy(
        "The same for the text whose words differ more from one another; in Chinese and the like, whose "
        "characters do."
    ),
    "source_model": gettext_lazy(
        "How often the model that wins more often on all other prompts may win. Better models do win more, "
        "which is no fault of the pairs, so this limit is off unless you set it."
    ),
    "logistic": gettext_lazy(
        "How often a model that has learnt all of these from other prompts may guess right. It stands for "
        "whatever of the surface can be learnt together."
    ),
    "exact": gettext_lazy("How many responses may have the same text as another in the pairs."),
    "near": gettext_lazy("How many responses may share most of their text with another in the pairs."),
    "earlier_exact": gettext_lazy(
        "How many responses may have the text of another response of an earlier release. Who trained on that "
        "release has seen them."
    ),
    "earlier_near": gettext_lazy(
        "How many responses may share most of their text with another of an earlier release."
    ),
    "leaks": gettext_lazy("How many responses may name a model, which gives away where they come from."),
}
REASONS = {
    "empty": gettext_lazy("no pair to guess about"),
    "too_few": gettext_lazy("fewer than 30 pairs"),
    "one_prompt": gettext_lazy("pairs of one prompt alone"),
}


def reason_in_words(reason: str | None) -> str:
    return str(REASONS.get(reason or "", reason or ""))


def percent(share: float) -> str:
    """Of a share from 0 to 1, to one decimal, without the sign."""
    return f"{100 * share:.1f}"


def limit_in_words(name: str, limit: object) -> str:
    """What a limit allows; `limit` as Limits.as_dict writes it."""
    if limit is None:
        return pgettext("a limit", "off")
    if name in COUNTS:
        return _("at most %(limit)s") % {"limit": limit}
    if name in RATES:
        return _("at most %(limit)s %%") % {"limit": f"{100 * float(str(limit)):g}"}
    away = 100 * float(str(limit))
    return _("%(low)s to %(high)s %%") % {"low": f"{50 - away:g}", "high": f"{50 + away:g}"}


def excess_in_words(excess: Excess) -> str:
    """A limit that is not met, with what was found, for a list."""
    name, limit = LIMITS[excess.key], limit_in_words(excess.key, excess.as_dict()["limit"])
    if excess.key in COUNTS:
        found = ngettext("%(n)d response", "%(n)d responses", int(excess.value)) % {"n": int(excess.value)}
    else:
        found = _("right in %(share)s %%") % {"share": percent(excess.value)}
    return _("%(name)s: %(found)s, allowed %(limit)s") % {"name": name, "found": found, "limit": limit}
