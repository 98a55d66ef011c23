from annotation.management.importing import ImportCommand
from annotation.services.intake_files import import_material


class Command(ImportCommand):
    help = (
        "Import prompts and responses (columns id, prompt_id, text) into a project: all of a file or nothing."
    )
    service = staticmethod(import_material)
