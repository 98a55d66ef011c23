from annotation.management.importing import ImportCommand
from annotation.services.intake_files import import_scores


class Command(ImportCommand):
    help = "Import scores (columns response_id, annotator, score) into a project: all of a file or nothing."
    service = staticmethod(import_scores)
