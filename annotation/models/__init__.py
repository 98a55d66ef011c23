from annotation.models.adjudication import AdjudicationCase, CaseJudgement
from annotation.models.calibration import CalibrationResult
from annotation.models.exams import Attempt, CritiqueGrade, ExtraAttempt
from annotation.models.imports import Import, ImportJob, SavedFieldMap
from annotation.models.invitations import Consent, ConsentText, Invitation
from annotation.models.jobs import Job
from annotation.models.journal import JournalEntry
from annotation.models.material import Flag, Prompt, Requirement, Response
from annotation.models.people import ApiToken, Membership, User
from annotation.models.preferences import Preference
from annotation.models.preparation import (
    ConsensusItem,
    GateStatistic,
    LanguageLevel,
    Passage,
    Preparation,
    Qualification,
    ScreeningAnswer,
    Stage,
)
from annotation.models.project import Assigning, Criterion, Genre, Guideline, Level, Project, Rubric
from annotation.models.rankings import CategoryVote, RankedResponse, Ranking
from annotation.models.replays import IdempotencyKey
from annotation.models.training import ActiveTime, Comment, Lesson, LessonRead, Reflection, Ruling
from annotation.models.work import (
    Assignment,
    Conflict,
    Draft,
    Lease,
    Mark,
    PanelSeat,
    Quota,
    Round,
    Score,
    Skip,
)

__all__ = [
    "ActiveTime",
    "AdjudicationCase",
    "ApiToken",
    "Assigning",
    "Assignment",
    "Attempt",
    "CalibrationResult",
    "CaseJudgement",
    "CategoryVote",
    "Comment",
    "Conflict",
    "ConsensusItem",
    "Consent",
    "ConsentText",
    "Criterion",
    "CritiqueGrade",
    "Draft",
    "ExtraAttempt",
    "Flag",
    "GateStatistic",
    "Genre",
    "Guideline",
    "IdempotencyKey",
    "Import",
    "ImportJob",
    "Invitation",
    "Job",
    "JournalEntry",
    "LanguageLevel",
    "Lease",
    "Lesson",
    "LessonRead",
    "Level",
    "Mark",
    "Membership",
    "PanelSeat",
    "Passage",
    "Preference",
    "Preparation",
    "Project",
    "Prompt",
    "Qualification",
    "Quota",
    "RankedResponse",
    "Ranking",
    "Reflection",
    "Requirement",
    "Response",
    "Round",
    "Rubric",
    "Ruling",
    "SavedFieldMap",
    "Score",
    "ScreeningAnswer",
    "Skip",
    "Stage",
    "User",
]
