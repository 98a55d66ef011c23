"""Where a prompt belongs: one of 256 buckets, whatever the number of shards, so that a bucket's part is always the
same."""

from hashlib import sha256

BUCKETS = 256
PROMPTS_A_SHARD = 500


def bucket_of(prompt_id: str) -> int:
    """The first byte of SHA-256 of the id in UTF-8."""
    return sha256(prompt_id.encode()).digest()[0]


def buckets_of_shard(number: int, shards: int) -> range:
    """The buckets of shard `number`, counted from 0, of so many (1 to 256): neighbours, and every bucket once."""
    return range(BUCKETS * number // shards, BUCKETS * (number + 1) // shards)
