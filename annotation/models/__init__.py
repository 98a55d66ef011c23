from annotation.models.imports import Import, ImportJob, SavedFieldMap
from annotation.models.jobs import Job
from annotation.models.journal import JournalEntry
from annotation.models.material import Flag, Prompt, Requirement, Response
from annotation.models.people import ApiToken, Membership, User
from annotation.models.project import Assigning, Criterion, Genre, Guideline, Level, Project, Rubric
from annotation.models.work import Assignment, Lease, Mark, PanelSeat, Round, Score

__all__ = [
    "ApiToken",
    "Assigning",
    "Assignment",
    "Criterion",
    "Flag",
    "Genre",
    "Guideline",
    "Import",
    "ImportJob",
    "Job",
    "JournalEntry",
    "Lease",
    "Level",
    "Mark",
    "Membership",
    "PanelSeat",
    "Project",
    "Prompt",
    "Requirement",
    "Response",
    "Round",
    "Rubric",
    "SavedFieldMap",
    "Score",
    "User",
]
