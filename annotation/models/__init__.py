from annotation.models.jobs import Job
from annotation.models.journal import JournalEntry
from annotation.models.material import Prompt, Requirement, Response
from annotation.models.people import ApiToken, Membership, User
from annotation.models.project import Criterion, Genre, Level, Project, Rubric
from annotation.models.work import Assignment, Lease, Round, Score

__all__ = [
    "ApiToken",
    "Assignment",
    "Criterion",
    "Genre",
    "Job",
    "JournalEntry",
    "Lease",
    "Level",
    "Membership",
    "Project",
    "Prompt",
    "Requirement",
    "Response",
    "Round",
    "Rubric",
    "Score",
    "User",
]
