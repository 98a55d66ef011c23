"""Cheap automatic checks of prompts and responses. They flag what a person should look at; they remove nothing."""

from annotation.domain.triage.checks import of_prompt, of_text
from annotation.domain.triage.duplicates import Duplicate, duplicates
from annotation.domain.triage.findings import CHECKS, TRIAGE_VERSION, Check, Finding

__all__ = ["CHECKS", "TRIAGE_VERSION", "Check", "Duplicate", "Finding", "duplicates", "of_prompt", "of_text"]
