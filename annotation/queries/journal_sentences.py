"""What each action of the journal says. An action without a sentence is shown as it was written.

Sentences have no subject, since the journal names the actor beside them. Where an action has several, the first
whose values an entry has is taken, so that entries of earlier versions can still be read.
"""

import re
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PLACEHOLDER = re.compile(r"%\((\w+)\)s")

SENTENCES: dict[str, tuple[Promise, ...]] = {
    # --- Project and genres ---
    "project.created": (_("Made the project."),),
    "project.changed": (_("Changed settings: %(changed)s."),),
    "genres.replaced": (_("Took over the genres of %(taxonomy)s."), _("Replaced the genres.")),
    "genre.added": (_("Added the genre %(name)s."),),
    "genre.renamed": (_("Renamed the genre %(genre)s."),),
    "genre.moved": (_("Moved the genre %(genre)s."),),
    "genre.removed": (_("Removed the genre %(name)s."),),
    # --- Material ---
    "import.uploaded": (_("Uploaded %(files)s."),),
    "import.checked": (_("Checked the import of %(subject)s: %(rows)s rows, of which %(refused)s refused."),),
    "import.stored": (
        _(
            "Imported %(files)s. New prompts: %(prompts)s, responses: %(responses)s, scores: %(scores)s, "
            "votes on pairs: %(preferences)s, refused rows: %(refused)s."
        ),
        _(
            "Imported %(files)s. New prompts: %(prompts)s, responses: %(responses)s, scores: %(scores)s, "
            "refused rows: %(refused)s."
        ),
        _("Imported %(files)s."),
    ),
    "import.undone": (
        _(
            "Undid the import of %(subject)s. Removed prompts: %(prompts)s, responses: %(responses)s, "
            "scores: %(scores)s, votes on pairs: %(preferences)s."
        ),
        _(
            "Undid the import of %(subject)s. Removed prompts: %(prompts)s, responses: %(responses)s, "
            "scores: %(scores)s."
        ),
        _("Undid the import of %(subject)s."),
    ),
    "import.discarded": (_("Discarded the upload %(subject)s."),),
    "field_map.saved": (_("Kept the column mapping %(name)s."),),
    "field_map.forgotten": (_("Removed the column mapping %(name)s."),),
    "material.imported": (_("Imported prompts and responses from %(file)s."),),
    "scores.imported": (_("Imported scores from %(file)s."),),
    # --- Triage ---
    "flag.raised": (_("Flagged the response %(response)s."), _("Flagged the prompt %(prompt)s.")),
    "response.removed": (_("Removed the response %(response)s: %(kind)s."),),
    "response.kept": (_("Kept the response %(response)s."),),
    "prompt.kept": (_("Kept the prompt %(prompt)s."),),
    "prompt.responses_removed": (
        _("Removed all responses to the prompt %(prompt)s, %(responses)s of them: %(kind)s."),
    ),
    "response.restored": (_("Put the response %(response)s back."),),
    # --- Prompts in the making, and models that are asked ---
    "authoring.begun": (_("Began the prompt %(authored)s."),),
    "authoring.drafted": (_("Wrote a first text of the prompt %(authored)s."),),
    "authoring.expansion_taken": (_("Took over what %(source)s wrote for the prompt %(authored)s."),),
    "authoring.handed_in": (_("Handed in version %(version)s of the prompt %(authored)s."),),
    "authoring.reviewed": (_("Reviewed version %(version)s of the prompt %(authored)s."),),
    "authoring.changes_asked": (_("Version %(version)s of the prompt %(authored)s: changes are asked for."),),
    "authoring.accepted": (
        _(
            "Version %(version)s of the prompt %(authored)s is accepted by two people and in the material "
            "as %(prompt)s."
        ),
    ),
    "authoring.commented": (_("Remarked on version %(version)s of the prompt %(authored)s."),),
    "authoring.retired": (_("Retired the prompt %(authored)s (%(reason)s)."),),
    "authoring.reopened": (_("Took the prompt %(authored)s up again."),),
    "authoring.linked": (_("Linked the prompt %(authored)s to %(to)s, the same in another language."),),
    "authoring.unlinked": (_("Unlinked the prompt %(authored)s from those in other languages."),),
    "requirements.set": (_("Set the %(n)s requirements of the prompt %(prompt)s."),),
    "plan.made": (_("Made the plan %(name)s of %(requests)s requests to models."),),
    "plan.asked": (_("Asked a model about the prompt %(of)s."),),
    "plan.started": (_("Started the plan %(name)s."),),
    "plan.paused": (_("Paused the plan %(name)s."),),
    "plan.resumed": (_("Let the plan %(name)s go on."),),
    "plan.cancelled": (_("Cancelled the plan %(name)s. Requests that were not asked any more: %(n)s."),),
    "plan.removed": (_("Removed the draft of the plan %(name)s."),),
    "plan.tried_again": (_("Had %(n)s failed requests of the plan %(name)s asked again."),),
    "plan.failed_to_triage": (_("Handed %(n)s failed requests of the plan %(name)s to triage."),),
    "plan.done": (_("The plan %(name)s is done. Answered: %(answered)s, failed: %(failed)s."),),
    "batch.taken_out": (_("Took %(n)s requests of the plan %(name)s to %(source)s out as a batch file."),),
    "batch.taken_in": (
        _(
            "Took in results of the plan %(name)s from %(source)s: %(stored)s answers, %(failed)s errors, "
            "%(known)s known already, %(faults)s lines with a fault."
        ),
    ),
    # --- Rubric ---
    "rubric.saved": (_("Saved version %(version)s of rubric and guideline."),),
    # --- Rounds ---
    "round.created": (_("Drafted the round %(round)s."),),
    "round.changed": (_("Changed the draft of the round %(round)s: %(changed)s."),),
    "round.deleted": (_("Deleted the draft of the round %(name)s."),),
    "round.prompts_chosen": (_("Chose the prompts of the round %(round)s: %(prompts)s of them."),),
    "round.panels_composed": (_("Composed panels for %(prompts)s prompts of the round %(round)s."),),
    "round.seats_set": (_("Gave out places on panels of the round %(round)s by hand."),),
    "round.drafted": (_("Drafted the round %(round)s with %(prompts)s prompts of %(from_round)s."),),
    "round.opened": (_("Opened the round %(round)s."),),
    "round.cap_set": (_("Set the daily cap of the round %(round)s."),),
    "round.mixture_set": (_("Set how often gold items and repeats come in the round %(round)s."),),
    "round.quotas_set": (_("Set the quotas of the round %(round)s: %(quotas)s of them."),),
    "round.seats_vacated": (_("Gave up %(seats)s unfinished seats of %(member)s in the round %(round)s."),),
    "item.skipped": (_("Gave an item of the round %(round)s back unanswered."),),
    "conflict.declared": (_("Declared a conflict of interest in the round %(round)s."),),
    "round.paused": (_("Paused the round %(round)s."),),
    "round.resumed": (_("Resumed the round %(round)s."),),
    "round.locked": (_("Locked the round %(round)s."),),
    "round.prompts_left": (
        _("Moved prompts that nobody had begun from the round %(round)s to %(to_round)s."),
    ),
    "round.pairs_drawn": (
        _("Drafted the round %(round)s over %(pairs)s pairs, for %(each)s annotators each."),
    ),
    "round.validation_opened": (
        _(
            "Opened the round %(round)s: %(texts)s texts in several languages, for people who work in all of them."
        ),
    ),
    # --- Adjudication ---
    "adjudication.sent": (_("Sent %(cases)s cases of the round %(round)s to adjudication."),),
    "case.judged": (_("Judged a case of the round %(round)s alone."),),
    "case.decided": (_("Decided a case of the round %(round)s."),),
    # --- Preparation ---
    "preparation.changed": (_("Changed what is asked before the work."),),
    "stage.passed": (
        _("%(user)s: from %(from_stage)s to %(to_stage)s."),
        _("%(user)s: begins at %(to_stage)s."),
        _("An invitation: %(to_stage)s."),
    ),
    "stage.genres": (_("Set the genres in which %(user)s scores."),),
    "consensus.added": (_("Added the item %(text)s to %(round)s."),),
    "consensus.taken": (_("Took %(items)s items into %(round)s from the scores of another round."),),
    "consensus.changed": (_("Changed the item %(text)s of %(round)s."),),
    "consensus.removed": (_("Removed the item %(text)s from %(round)s."),),
    # --- The exam ---
    "exam.form_made": (_("Made the exam form %(round)s."),),
    "exam.form_published": (_("Published the exam form %(round)s with %(items)s texts."),),
    "exam.form_retired": (_("Retired the exam form %(round)s."),),
    "exam.form_deleted": (_("Deleted the draft of the exam form %(name)s."),),
    "exam.started": (_("Began attempt %(number)s of the exam, on the form %(round)s."),),
    "exam.finished": (_("%(user)s scored the last text of the exam, attempt %(number)s."),),
    "exam.passed": (
        _("Passed attempt %(number)s of %(user)s at the exam by hand (%(reason)s)."),
        _("%(user)s passed the exam, attempt %(number)s."),
    ),
    "exam.failed": (
        _("Failed attempt %(number)s of %(user)s at the exam by hand (%(reason)s)."),
        _("%(user)s did not pass the exam, attempt %(number)s."),
    ),
    "exam.attempt_granted": (_("Granted %(user)s another attempt at the exam (%(reason)s)."),),
    "exam.critique_graded": (_("Graded a critique of an exam."),),
    # --- Calibrations ---
    "calibration.drafted": (_("Drafted the calibration %(round)s."),),
    "calibration.deleted": (_("Deleted the draft of the calibration %(name)s."),),
    "calibration.opened": (_("Opened the calibration %(round)s."),),
    "calibration.participant_added": (_("Had %(user)s take part in the calibration %(round)s."),),
    "calibration.closed": (_("Closed the calibration %(round)s."),),
    "calibration.second_round": (_("Opened the second round %(round)s."),),
    # --- The course ---
    "lesson.written": (_("Wrote the lesson %(title)s."),),
    "lesson.changed": (_("Changed the lesson %(title)s, now version %(version)s."),),
    "lesson.published": (_("Published the lesson %(title)s."),),
    "lesson.retired": (_("Retired the lesson %(title)s."),),
    "lesson.moved": (_("Moved the lesson %(title)s."),),
    "course.drafted": (_("Drafted the course %(round)s."),),
    "course.opened": (_("Opened the course %(round)s with %(items)s items."),),
    "course.retired": (_("Retired the course %(round)s."),),
    "training.begun": (_("Began the course %(round)s."),),
    "thread.posted": (_("Posted in a discussion of the round %(round)s."),),
    "thread.ruled": (_("Made a post in the round %(round)s a ruling."),),
    # --- People ---
    "account.created": (_("Made an account for %(user)s."),),
    "account.password_changed": (_("Changed the password."),),
    "account.email_changed": (_("Changed the e-mail address."),),
    "account.second_factor_removed": (_("Removed the second factor of %(user)s."),),
    "account.closed": (_("Closed the account of %(user)s."),),
    "operator.made": (_("Made %(user)s an operator."),),
    "token.created": (
        _("Made the token %(name)s for the REST interface: %(scopes)s."),
        _("Made a token for the REST interface."),
    ),
    "token.revoked": (_("Revoked the token %(name)s."),),
    "membership.added": (_("Added %(user)s as %(role)s."),),
    "membership.withdrawn": (
        _("Ended the role of %(user)s as %(role)s."),
        _("Ended the role of %(member)s."),
    ),
    "membership.ended": (
        _("Ended the role of %(user)s as %(role)s."),
        _("Ended the role of %(member)s."),
    ),
    "membership.left": (_("Left the project as %(role)s."),),
    "membership.data_withdrawn": (_("Withdrew the data of %(user)s (%(reason)s)."),),
    "membership.paused": (_("Paused the role of %(user)s as %(role)s."),),
    "membership.resumed": (_("Resumed the role of %(user)s as %(role)s."),),
    "membership.returned": (_("Gave %(user)s the role of %(role)s again."),),
    "membership.reminded": (_("Reminded %(user)s of the work."),),
    "membership.reminder_failed": (_("The mail server did not take the reminder to %(user)s."),),
    "membership.languages": (_("Noted which languages %(user)s reads: %(languages)s."),),
    "invitation.made": (_("Invited %(invitation)s as %(role)s."),),
    "invitation.revoked": (_("Took back the invitation of %(invitation)s."),),
    "invitation.accepted": (_("Accepted the invitation as %(role)s."),),
    "invitation.declined": (_("%(invitation)s declined the invitation."),),
    "consent.saved": (_("Saved version %(version)s of the text of consent."),),
    # --- Runs and releases ---
    "recipe.saved": (
        _("Saved version %(version)s of the recipe %(name)s."),
        _("Saved a version of the recipe."),
    ),
    "run.requested": (_("Started run %(run)s."),),
    "run.cancelled": (_("Cancelled run %(run)s."),),
    "audit.limits_changed": (_("Changed limits of audits."),),
    "release.requested": (
        _("Asked for the release %(name)s %(version)s."),
        _("Asked for a release (no. %(release)s)."),
    ),
    "release.frozen": (
        _("Froze the release %(name)s %(version)s."),
        _("Froze a release (no. %(release)s)."),
    ),
    "release.yanked": (_("Yanked the release %(name)s %(version)s."),),
    "release.reader_added": (
        _("Let %(user)s read what the release %(name)s %(version)s withholds."),
        _("Let somebody read what the release %(name)s %(version)s withholds."),
    ),
    "release.reader_removed": (
        _("No longer lets %(user)s read what the release %(name)s %(version)s withholds."),
        _("No longer lets somebody read what the release %(name)s %(version)s withholds."),
    ),
    "submission.requested": (_("Submitted the model %(model)s to the release %(name)s %(version)s."),),
    "submission.published": (_("Published the results of %(model)s for the release %(name)s %(version)s."),),
    "submission.unpublished": (
        _("No longer publishes the results of %(model)s for the release %(name)s %(version)s."),
    ),
    # --- Scores ---
    "score.submitted": (_("Gave a score."),),
    "category_vote.submitted": (_("Voted for the category of a prompt."),),
    "category_vote.revised": (_("Changed a vote for the category of a prompt."),),
    "preference.submitted": (_("Chose between two responses."),),
    "preference.revised": (_("Changed a choice between two responses."),),
    "ranking.submitted": (_("Ranked the texts of a prompt."),),
    "ranking.revised": (_("Changed a ranking, now revision %(revision)s."),),
    "score.revised": (_("Changed a score."),),
}

# Columns of projects and rounds that a lead sets, as their pages call them.
SETTINGS: dict[str, Promise] = {
    "name": _("name"),
    "purpose": _("purpose"),
    "languages": _("languages"),
    "annotators_per_response": _("annotators per response"),
    "assigning": _("panel or pool"),
    "criterion_marks": _("marks for each criterion"),
    "ties_allowed": _("ties"),
    "justification_minimum": _("shortest justification"),
    "time_zone": _("time zone"),
    "hourly_rate": _("hourly rate"),
    "currency": _("currency"),
    "words_per_minute": _("words a minute"),
    "characters_per_minute": _("characters a minute"),
    "alpha_acceptable": _("lower line for alpha"),
    "alpha_good": _("upper line for alpha"),
    "near_duplicate_percent": _("share from which texts are near duplicates"),
}


def sentence(action: str, values: Mapping[str, str]) -> str:
    """What the entry says in the reader's language; "" where no sentence of the action fits its values."""
    for text in map(str, SENTENCES.get(action, ())):
        if all(name in values for name in PLACEHOLDER.findall(text)):
            return text % values
    return ""
