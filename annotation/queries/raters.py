"""What annotators are called where nobody is to know who is who: Rater A, Rater B, anew in each round.

No pseudonym of the project: that one is on releases, and the same in every round.
"""

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotation.domain.names import letters
from annotation.models import Assignment, Round, Score


def raters(work: Round) -> dict[int, str]:
    """'Rater A' by membership."""
    return {
        member: _("Rater %(letters)s") % {"letters": letter} for member, letter in rater_letters(work).items()
    }


def rater_letters(work: Round) -> dict[int, str]:
    """By membership, for all who were given texts of the round or have scored some.

    Who they are decides the letters, so they stay as they are once the round takes nobody new.
    """
    given = Assignment.objects.filter(round=work)
    found = {
        *given.exclude(reserved_for=None).values_list("reserved_for", flat=True),
        *given.exclude(annotator=None).values_list("annotator", flat=True),
        *Score.objects.filter(round=work).values_list("annotator", flat=True),
    }
    shuffled = sorted(found, key=lambda member: salted_hmac("raters", f"{work.pk}:{member}").digest())
    return {member: letters(number) for number, member in enumerate(shuffled)}
