"""Rounds, slots, leases and scores."""

import secrets

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.imports import Import
from annotation.models.material import Prompt, Response
from annotation.models.people import Membership
from annotation.models.project import Assigning, Genre, Project, Rubric


def new_token() -> str:
    """What stands in addresses for a row, so that nobody guesses another's: 144 random bits."""
    return secrets.token_urlsafe(18)


class Round(models.Model):
    """A stretch of work with one purpose. Only scores of live rounds are curation data."""

    class Purpose(models.TextChoices):
        LIVE = "live", _("Live")
        REPEAT = "repeat", _("Repeat")
        GOLD = "gold", _("Gold")
        EXAM = "exam", _("Exam")
        TRAINING = "training", _("Training")
        CALIBRATION = "calibration", _("Calibration")
        VALIDATION = "validation", _("Validation")
        ADJUDICATION = "adjudication", _("Adjudication")

    class Kind(models.TextChoices):
        SCORES = "scores", _("Scores")
        RANKINGS = "rankings", _("Rankings")
        CATEGORIES = "categories", _("Votes on categories")
        PAIRS = "pairs", _("Votes on pairs")

    class Instruction(models.TextChoices):
        """By what a ranking orders the responses."""

        PREFERENCE = "preference", _("General preference")
        REQUIREMENTS = "requirements", _("How many requirements are satisfied")

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        OPEN = "open", _("Open")
        PAUSED = "paused", _("Paused")
        LOCKED = "locked", _("Locked")

    project = models.ForeignKey(Project, models.PROTECT, related_name="rounds")
    name = models.CharField(max_length=100)
    purpose = models.CharField(max_length=16, choices=Purpose, default=Purpose.LIVE)
    # What is judged: single responses, all of a prompt in order, a prompt itself, or two of its responses.
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SCORES)
    # In the addresses of annotators.
    token = models.CharField(max_length=32, unique=True, default=new_token)
    ties_allowed = models.BooleanField(default=False)  # in rankings and votes on pairs
    instruction = models.CharField(
        max_length=12, choices=Instruction, default=Instruction.PREFERENCE
    )  # of rankings
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="rounds")
    # Taken over from the project when the round is made, so that later settings do not reach into it.
    annotators_per_response = models.PositiveSmallIntegerField(default=3)
    assigning = models.CharField(max_length=8, choices=Assigning, default=Assigning.POOL)
    # What a draft will ask about; once it is open, its assignments say the same.
    prompts = models.ManyToManyField(Prompt, related_name="rounds", blank=True)
    # Of an exam, a course or a calibration: the primary subtag of the language it is for, "" for any. Of a validation
    # across languages: all of them, as in "en+zh", for people who work in each.
    language = models.CharField(max_length=16, blank=True)
    # When a calibration may be closed though not everybody is done.
    closes_at = models.DateTimeField(null=True, blank=True)
    # The calibration whose texts this one has scored a second time.
    follows = models.OneToOneField("self", models.PROTECT, related_name="followed_by", null=True, blank=True)
    # --- What a lead may change while the round is open ---
    daily_cap = models.PositiveSmallIntegerField(null=True, blank=True)  # hand-outs to one annotator in a day
    # Rounds of gold items and of repeats give their texts out among those of the round they are mixed into,
    # at these rates in percent of its hand-outs.
    mixed_into = models.ForeignKey("self", models.PROTECT, related_name="mixed_in", null=True, blank=True)
    gold_percent = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(50)])
    repeat_percent = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(50)])
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="round_name_once_per_project"),
            # What is a course in a language is never in doubt.
            models.UniqueConstraint(
                fields=["project", "language"],
                condition=Q(purpose="training", state__in=["open", "paused"]),
                name="one_open_course_per_language",
            ),
            models.CheckConstraint(
                condition=Q(state="draft", opened_at=None, locked_at=None)
                | Q(state__in=["open", "paused"], opened_at__isnull=False, locked_at=None)
                | Q(state="locked", opened_at__isnull=False, locked_at__isnull=False),
                name="a_round_says_when_it_opened_and_locked",
            ),
            models.CheckConstraint(
                condition=Q(
                    purpose__in=[
                        "live",
                        "repeat",
                        "gold",
                        "exam",
                        "training",
                        "calibration",
                        "validation",
                        "adjudication",
                    ]
                ),
                name="a_known_purpose",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["scores", "rankings", "categories", "pairs"]), name="a_known_kind"
            ),
            models.CheckConstraint(
                condition=Q(instruction__in=["preference", "requirements"]), name="a_known_instruction"
            ),
            models.UniqueConstraint(
                fields=["mixed_into", "purpose"],
                condition=Q(mixed_into__isnull=False),
                name="one_round_of_a_purpose_mixed_in",
            ),
            models.CheckConstraint(
                condition=Q(mixed_into=None) | Q(purpose__in=["gold", "repeat"]),
                name="only_gold_and_repeats_are_mixed_in",
            ),
            models.CheckConstraint(
                condition=Q(gold_percent__lte=50, repeat_percent__lte=50),
                name="most_of_a_round_is_its_own",
            ),
        ]


class PanelSeat(models.Model):
    """A place on the panel of a prompt: who holds it scores every response to the prompt in this round."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="seats")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="+")
    seat = models.PositiveSmallIntegerField()  # from 1; the slot of the assignments
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="seats")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "prompt", "seat"], name="one_annotator_per_seat"),
            models.UniqueConstraint(fields=["round", "prompt", "annotator"], name="one_seat_per_annotator"),
        ]


class Quota(models.Model):
    """How many finished responses of a language and genre a round needs; no more of them is given out then."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="quotas")
    language = models.CharField(max_length=16)
    genre = models.ForeignKey(
        Genre, models.PROTECT, related_name="+", null=True, blank=True
    )  # a macro-category
    wanted = models.PositiveIntegerField()
    reached_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "language", "genre"], name="one_quota_per_stratum"),
            models.UniqueConstraint(
                fields=["round", "language"], condition=Q(genre=None), name="one_quota_per_language"
            ),
        ]


class Conflict(models.Model):
    """That an annotator is too near to a prompt to judge what was written to it. It stays: nothing of it is given
    to them any more."""

    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="conflicts")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="conflicts")
    note = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "prompt"], name="one_conflict_per_prompt"),
        ]


class Assignment(models.Model):
    """A slot: room for one annotator's judgement in one round.

    Of what, is told by the kind of the round: a response (scores), a prompt with all its responses (rankings), the
    prompt itself (votes on categories), or two responses to it (votes on pairs).

    Free = open, or leased and expired. Expiry is read where it matters and never swept.
    """

    class State(models.TextChoices):
        OPEN = "open"
        LEASED = "leased"
        DONE = "done"
        VOID = "void"

    round = models.ForeignKey(Round, models.PROTECT, related_name="assignments")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="assignments")
    # Null where a ranking or a vote on a prompt is asked for.
    response = models.ForeignKey(Response, models.PROTECT, related_name="assignments", null=True, blank=True)
    # The second of a pair. Which of the two is shown first is shuffled for each annotator.
    other = models.ForeignKey(Response, models.PROTECT, related_name="+", null=True, blank=True)
    slot = models.PositiveSmallIntegerField()
    # Where the slot lies in the shuffled circle of the round, the same for all slots of a text; see `order`.
    place = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    # The holder of the seat, in a panel: nobody else is given this slot. Null in a pool.
    reserved_for = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    annotator = models.ForeignKey(
        Membership, models.PROTECT, related_name="assignments", null=True, blank=True
    )
    leased_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "response", "slot"],
                condition=Q(other=None),
                name="slot_once_per_response",
            ),
            models.UniqueConstraint(
                fields=["round", "response", "annotator"],
                condition=Q(other=None),
                name="annotator_once_per_response",
            ),
            models.UniqueConstraint(
                fields=["round", "prompt", "slot"],
                condition=Q(response=None),
                name="slot_once_per_prompt",
            ),
            models.UniqueConstraint(
                fields=["round", "prompt", "annotator"],
                condition=Q(response=None),
                name="annotator_once_per_prompt",
            ),
            models.UniqueConstraint(
                fields=["round", "response", "other", "slot"],
                condition=Q(other__isnull=False),
                name="slot_once_per_pair",
            ),
            models.UniqueConstraint(
                fields=["round", "response", "other", "annotator"],
                condition=Q(other__isnull=False),
                name="annotator_once_per_pair",
            ),
            # One order of a pair, so that it is not asked for twice.
            models.CheckConstraint(
                condition=Q(other=None) | Q(response__lt=F("other")), name="a_pair_names_the_older_first"
            ),
            models.UniqueConstraint(
                fields=["round", "annotator"], condition=Q(state="leased"), name="one_lease_per_annotator"
            ),
            models.CheckConstraint(
                condition=(
                    Q(state="open", annotator=None, leased_until=None)
                    | Q(state="leased", annotator__isnull=False, leased_until__isnull=False)
                    | Q(state="done", annotator__isnull=False, leased_until=None)
                    | Q(state="void", leased_until=None)
                ),
                name="state_annotator_and_lease_agree",
            ),
        ]
        indexes = [
            # assignments.claim looks for the next free slot of a round, and for what is in the annotator's hands.
            models.Index(fields=["round", "reserved_for", "state", "place"], name="free_slots"),
            models.Index(fields=["annotator", "state"], name="slots_in_hand"),
        ]


class Lease(models.Model):
    """That a slot was handed to an annotator, under which address. Kept, so that a late score finds home."""

    token = models.CharField(max_length=32, unique=True)
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="leases")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="leases")
    leased_at = models.DateTimeField()
    # Which of the annotator's hand-outs in the round this was, from 1, counting what is mixed in; null where not kept.
    position = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "annotator"], name="one_address_per_hand_out"),
        ]
        indexes = [
            # Every claim asks for an annotator's last hand-outs.
            models.Index(fields=["annotator", "id"], name="hand_outs_in_order"),
        ]


class Skip(models.Model):
    """That an annotator gave a hand-out back unanswered; what they flagged says why. It is for others from then on."""

    lease = models.OneToOneField(Lease, models.PROTECT, related_name="skip")
    # The lease's own, so that whoever never skipped costs a claim one look at an index.
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="skips")
    at = models.DateTimeField()


class Draft(models.Model):
    """What an annotator has begun and not submitted, as the server has it. No judgement: it goes with the submit."""

    lease = models.OneToOneField(Lease, models.PROTECT, related_name="draft")
    version = models.PositiveIntegerField(
        default=1
    )  # counted up by each save, so that two tabs notice each other
    content = models.JSONField(default=dict)
    saved_at = models.DateTimeField()


class Score(models.Model):
    """One judgement. Append-only: a change of mind is a new revision, the earlier ones stay."""

    class Standing(models.TextChoices):
        COUNTED = "counted", _("Counted")
        # Came in late, when every slot of the text was taken: kept and shown to the lead, not counted.
        SURPLUS = "surplus", _("Surplus")

    round = models.ForeignKey(Round, models.PROTECT, related_name="scores")
    response = models.ForeignKey(Response, models.PROTECT, related_name="scores")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="scores")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="scores")
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="scores")
    revision = models.PositiveSmallIntegerField(default=1)
    value = models.PositiveSmallIntegerField()
    justification = models.TextField(blank=True)
    standing = models.CharField(max_length=8, choices=Standing, default=Standing.COUNTED)
    # When it was given; null where an imported file does not say.
    at = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField()
    # Of a score from a file: the import, and file and line, row or item in it.
    source = models.ForeignKey(Import, models.PROTECT, related_name="scores", null=True, blank=True)
    source_place = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "response", "annotator", "revision"], name="one_score_per_revision"
            ),
            models.CheckConstraint(condition=Q(value__lte=3), name="score_from_0_to_3"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="revisions_start_at_1"),
            models.CheckConstraint(condition=Q(standing__in=["counted", "surplus"]), name="a_known_standing"),
        ]


class Mark(models.Model):
    """What a score says of one criterion of its rubric, in whichever language the criterion was read.

    Append-only like the score. Beside it, never part of it: no score is computed from marks.
    """

    score = models.ForeignKey(Score, models.PROTECT, related_name="marks")
    # Keys never change; a criterion has a row in each language, and the mark is of none of them alone.
    genre_key = models.SlugField(max_length=60, blank=True)  # "" for the criteria of every genre
    criterion_key = models.SlugField(max_length=60)
    value = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["score", "genre_key", "criterion_key"], name="one_mark_per_criterion"
            ),
            models.CheckConstraint(condition=Q(value__lte=3), name="mark_from_0_to_3"),
        ]
