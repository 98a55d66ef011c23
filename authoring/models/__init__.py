from authoring.models.endpoints import Endpoint
from authoring.models.plans import ModelRequest, Plan, PlanSource, RequestAttempt
from authoring.models.prompts import (
    AcceptedVersion,
    AuthoredPrompt,
    FieldComment,
    PromptReview,
    PromptVersion,
)
from authoring.models.requirements import RequirementCheck

__all__ = [
    "AcceptedVersion",
    "AuthoredPrompt",
    "Endpoint",
    "FieldComment",
    "ModelRequest",
    "Plan",
    "PlanSource",
    "PromptReview",
    "PromptVersion",
    "RequestAttempt",
    "RequirementCheck",
]
