"""What answers look like, for the description of the interface: projects, material, people and work (the rest is in
outcomes.py). The rows themselves are made elsewhere."""

from rest_framework import serializers

from annotation.models import (
    Assigning,
    Assignment,
    Membership,
    Response,
    Round,
    Score,
)
from authoring.models import AuthoredPrompt, ModelRequest, Plan


class Of(serializers.Serializer):
    """Part of an answer."""


def text(**options: object) -> serializers.CharField:
    return serializers.CharField(**options)


def texts(**options: object) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), **options)


def number(**options: object) -> serializers.IntegerField:
    return serializers.IntegerField(**options)


def moment(**options: object) -> serializers.DateTimeField:
    return serializers.DateTimeField(**options)


def anything(**options: object) -> serializers.DictField:
    return serializers.DictField(**options)


NULL = {"allow_null": True}


# --- Projects --------------------------------------------------------------------------------------------


class ProjectSettings(Of):
    languages = texts(help_text="BCP 47 tags of the material; none where it may be in any.")
    annotators_per_response = number()
    assigning = serializers.ChoiceField(Assigning.choices)
    criterion_marks = serializers.BooleanField()
    ties_allowed = serializers.BooleanField()
    justification_minimum = number()
    time_zone = text()
    hourly_rate = text(**NULL, help_text="A decimal number.")
    currency = text()
    words_per_minute = number()
    characters_per_minute = number()
    alpha_acceptable = text(help_text="A decimal number.")
    alpha_good = text(help_text="A decimal number.")
    near_duplicate_percent = number()


class ProjectShape(Of):
    slug = text()
    name = text()
    roles = serializers.ListField(child=serializers.ChoiceField(Membership.Role.choices))
    url = serializers.URLField()
    settings = ProjectSettings(**NULL, help_text="For leads alone.")


class GenreShape(Of):
    key = text()
    parent = text(**NULL, help_text="The macro-category of a type.")
    name_en = text()
    name_zh = text(allow_blank=True)
    position = number()
    url = serializers.URLField()


class LevelShape(Of):
    value = number()
    name = anything(child=text(), help_text="By language.")
    description = anything(child=text())
    comparison = anything(child=text(allow_blank=True))


class CriterionShape(Of):
    genre = text(allow_blank=True, help_text="Empty where it is of every genre.")
    key = text()
    name = anything(child=text())
    question = anything(child=text())


class RubricLine(Of):
    version = number()
    note = text(allow_blank=True)
    created_at = moment()
    url = serializers.URLField()


class RubricShape(RubricLine):
    levels = LevelShape(many=True)
    criteria = CriterionShape(many=True)
    guideline = anything(child=text(allow_blank=True), help_text="Markdown, by language.")


# --- Material --------------------------------------------------------------------------------------------


class RequirementShape(Of):
    kind = text(allow_blank=True)
    text = text()


class PromptRow(Of):
    id = serializers.CharField()
    language = serializers.CharField(allow_blank=True)
    genre = serializers.CharField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    requirements = RequirementShape(many=True)
    created_at = serializers.DateTimeField()


class PromptShape(PromptRow):
    url = serializers.URLField()


class ResponseRow(Of):
    id = serializers.CharField()
    prompt = serializers.CharField()
    language = serializers.CharField(allow_blank=True)
    genre = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField([Response.State.ACTIVE.value, Response.State.REMOVED.value])
    removed_kind = serializers.CharField(allow_blank=True)
    removed_reason = serializers.CharField(allow_blank=True)
    removed_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class ResponseShape(ResponseRow):
    url = serializers.URLField()


# --- What came before -----------------------------------------------------------------------------------


class AuthoredLine(Of):
    key = text(help_text="The id of the prompt that comes of it.")
    url = serializers.URLField()
    state = serializers.ChoiceField(AuthoredPrompt.State.choices)
    language = text()
    genre = text(**NULL)
    blueprint = text()
    constraints = text(allow_blank=True)
    intended_length = number(**NULL, help_text="Words, or characters of Chinese.")
    title = text(allow_blank=True)
    author = text()
    parallel_to = text(**NULL, help_text="The key of the same prompt in another language.")
    created_at = moment()
    changed_at = moment()
    text = text(allow_blank=True)


class PromptReviewShape(Of):
    reviewer = text()
    accepts = serializers.BooleanField()
    creative_intent = serializers.BooleanField()
    difficulty = serializers.BooleanField()
    granularity = serializers.BooleanField()
    reason = text(allow_blank=True)
    at = moment()


class FieldCommentShape(Of):
    field = text()
    author = text()
    at = moment()
    text = text()


class PromptVersionShape(Of):
    number = serializers.IntegerField()
    title = text()
    blueprint = text()
    constraints = text(allow_blank=True)
    intended_length = serializers.IntegerField(**NULL)
    note = text(allow_blank=True)
    author = text()
    made_at = moment()
    expanded_by = text(**NULL, help_text="The model whose answer the text began with.")
    prompt = text(**NULL, help_text="The prompt of the material that it became.")
    reviews_hidden = serializers.IntegerField(help_text="Of others, until one's own is given.")
    reviews = PromptReviewShape(many=True)
    comments = FieldCommentShape(many=True)
    text = text()


class AuthoredShape(AuthoredLine):
    versions = PromptVersionShape(many=True)


class PlanLineShape(Of):
    id = number()
    url = serializers.URLField()
    name = text()
    kind = serializers.ChoiceField(Plan.Kind.choices)
    state = serializers.ChoiceField(Plan.State.choices)
    made_at = moment()
    started_at = moment(**NULL)
    ended_at = moment(**NULL)


class PlanSourceShape(Of):
    name = text(help_text="As releases call the model.")
    model = text()
    requests = number()
    waiting = number()
    running = number()
    done = number()
    failed = number()
    cancelled = number()
    tokens_in = number()
    tokens_out = number()
    spent = text(help_text="A decimal number.")
    currency = text()


class PlanShape(PlanLineShape):
    samples = number()
    temperature = text(help_text="A decimal number.")
    max_tokens = number()
    instruction = text(allow_blank=True)
    seed = text(allow_blank=True)
    spent = anything(child=text(), help_text="A decimal number by currency.")
    sources = PlanSourceShape(many=True)


class ModelRequestShape(Of):
    model = text()
    prompt = text(**NULL)
    authored = text(**NULL, help_text="The key of a prompt in the making.")
    variant = number(help_text="Of a requirement dropout: 1 with every requirement.")
    kept = serializers.ListField(child=number(), help_text="Positions of the requirements that were kept.")
    sample = number()
    state = serializers.ChoiceField(ModelRequest.State.choices)
    asked = text()
    finish_reason = text(allow_blank=True)
    tokens_in = number(**NULL)
    tokens_out = number(**NULL)
    latency_ms = number(**NULL)
    attempts = number()
    error_kind = text(allow_blank=True)
    error = text(allow_blank=True)
    response = text(**NULL, help_text="The response that the answer became.")
    sent_at = moment(**NULL)
    ended_at = moment(**NULL)
    text = text(allow_blank=True)


# --- People and work -------------------------------------------------------------------------------------


class RoleShape(Of):
    role = serializers.ChoiceField(Membership.Role.choices)
    state = serializers.ChoiceField(Membership.State.choices)
    languages = texts(help_text="Primary subtags; none where any.")
    pseudonym = text(allow_blank=True, help_text="Of an annotator.")
    joined_at = moment()


class MemberLine(RoleShape):
    username = text()
    name = text(allow_blank=True)
    url = serializers.URLField()


class MemberShape(Of):
    username = text()
    name = text(allow_blank=True)
    url = serializers.URLField()
    roles = RoleShape(many=True)


class NewMember(MemberShape):
    password = text(**NULL, help_text="Of an account that was made, told this once.")


class RoundLine(Of):
    name = text()
    purpose = serializers.ChoiceField(Round.Purpose.choices)
    kind = serializers.ChoiceField(Round.Kind.choices)
    state = serializers.ChoiceField(Round.State.choices)
    rubric = number()
    annotators_per_response = number()
    assigning = serializers.ChoiceField(Assigning.choices)
    ties_allowed = serializers.BooleanField()
    instruction = serializers.ChoiceField(Round.Instruction.choices)
    daily_cap = number(**NULL)
    mixed_into = text(**NULL)
    created_at = moment()
    opened_at = moment(**NULL)
    locked_at = moment(**NULL)
    url = serializers.URLField()


class RoundProgress(Of):
    prompts = number()
    responses = number()
    slots = number()
    done = number()
    surplus = number()
    votes = number(**NULL, help_text="Of a round of imported pairs.")


class Obstacle(Of):
    code = text()
    message = text()


class RoundShape(RoundLine):
    progress = RoundProgress()
    obstacles = Obstacle(many=True, help_text="What keeps a draft from being opened.")


class AssignmentRow(Of):
    round = text()
    kind = serializers.ChoiceField(Round.Kind.choices)
    prompt = text()
    response = text(**NULL)
    other = text(**NULL, help_text="The second of a pair.")
    slot = number()
    state = serializers.ChoiceField(Assignment.State.choices)
    annotator = text(**NULL, help_text="A pseudonym.")
    reserved_for = text(**NULL, help_text="A pseudonym.")
    leased_until = moment(**NULL)


class Judgement(Of):
    round = text()
    purpose = serializers.ChoiceField(Round.Purpose.choices)
    annotator = text(help_text="A pseudonym.")
    revision = number()
    standing = serializers.ChoiceField(Score.Standing.choices)
    justification = text(allow_blank=True)
    at = moment(**NULL)
    recorded_at = moment()


class ScoreRow(Judgement):
    response = text()
    prompt = text()
    score = number(min_value=0, max_value=3)
    rubric = number()


class RankingRow(Judgement):
    prompt = text()
    tiers = serializers.ListField(child=texts(), help_text="The best first; those of one tier tie.")


class OwnRound(Of):
    id = text()
    project = text(help_text="The name of the project.")
    round = text()
    state = serializers.ChoiceField(["open", "paused", "ended"])
    has_work = serializers.BooleanField()
    done = number()
    total = number()


class Me(Of):
    username = text()
    name = text(allow_blank=True)
    projects = serializers.URLField()
    rounds = serializers.URLField()


class OwnRounds(Of):
    results = OwnRound(many=True)
