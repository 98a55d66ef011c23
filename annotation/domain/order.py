"""The order in which an annotator meets the material: seeded, different for each, the same on every machine."""

from hashlib import blake2b


def key(work: str, annotator: str, response: str) -> bytes:
    """Sort responses by this: 8 bytes that depend on round, annotator and response alone."""
    return blake2b("\0".join((work, annotator, response)).encode(), digest_size=8).digest()


def place(work: str, text: str) -> int:
    """Where a text lies in the shuffled circle of a round: 31 bits that depend on both and nothing else."""
    return int.from_bytes(blake2b("\0".join((work, text)).encode(), digest_size=4).digest()) >> 1
