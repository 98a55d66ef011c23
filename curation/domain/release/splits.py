"""What is held out, by prompt: all that was judged of a prompt is in one split."""

from collections.abc import Callable
from hashlib import sha256

TEST, HELDOUT = "test", "heldout"
LABELS = "labels"  # as what is held out, where the texts are not
OPEN = ("data/unlabelled", "data/unlabelled_judge")


def is_withheld(path: str) -> bool:
    """Whether the file of a release holds what is kept back."""
    head, _, name = path.rpartition("/")
    return (name == f"{HELDOUT}.jsonl" and head not in OPEN) or name.endswith(f"-{HELDOUT}.csv")


def of_prompts(name: str, percent: int) -> Callable[[str], str]:
    """The split of a prompt, by its id.

    It follows from the name of the release and the id alone: a prompt stays where it is from version to version, and a
    larger share only adds to what is held out.
    """

    def split(prompt_id: str) -> str:
        digest = sha256(f"{name}\0{prompt_id}".encode()).digest()
        return HELDOUT if int.from_bytes(digest[:8], "big") % 100 < percent else TEST

    return split
