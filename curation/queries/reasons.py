"""Why a number is not there, in words: the reasons that the statistics give."""

from django.utils.translation import gettext_lazy as _

REASONS = {
    "empty": _("there are no scores"),
    "no_pairable_values": _("no response has been scored by two annotators"),
    "no_variation": _("all scores are the same"),
    "nothing_shared": _("nothing that another scored too"),
    "nothing_before": _("nothing scored before"),
    "nothing_since": _("nothing scored since"),
    "no_pair_of_the_others": _("no pair that the other annotators accept"),
    "no_prompt_ranked_twice": _("no prompt has been ranked by two annotators"),
    "fewer_than_two_units": _("fewer than two responses were scored by two annotators"),
    "fewer_than_two_annotators": _("fewer than two annotators"),
    "more_than_two_values": _("for two annotators only"),
    "nothing_finished": _("no prompt is finished yet"),
    "no_pairs_yet": _("no pair has been accepted yet"),
    "no_time": _("no time at work was recorded"),
    "too_few_periods": _("it takes two whole days or weeks of work"),
    "nothing_done": _("nothing was scored lately"),
}


def in_words(reason: str | None) -> str:
    """In the reader's language; "" for none, and the key itself where there are no words for it."""
    return str(REASONS.get(reason or "", reason or ""))
