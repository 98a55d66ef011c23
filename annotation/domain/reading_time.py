"""How long a text takes to read, and who was much faster. A prompt to look at somebody's work, never a finding."""

from annotation.domain.text import Unit, length

# Silent reading of adults: English words a minute (Brysbaert 2019), and characters of Chinese.
A_MINUTE: dict[Unit, int] = {"words": 238, "characters": 300}
FAST = 4  # less than one part in so many of the usual time


def expected(text: str, unit: Unit) -> int:
    """Seconds that reading the text once usually takes."""
    return length(text, unit) * 60 // A_MINUTE[unit]


def is_fast(active: int, usual: int) -> bool:
    """Whether `active` seconds are so few that the text can hardly have been read."""
    return active * FAST < usual
