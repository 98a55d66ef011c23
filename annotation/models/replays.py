"""Writes over REST that were sent with a key, so that the same one sent again is not done again."""

from django.db import models

from annotation.models.people import User


class IdempotencyKey(models.Model):
    """What came with the key, as a digest, and what was answered. Kept for a day; a copy of neither shows a secret."""

    user = models.ForeignKey(User, models.CASCADE, related_name="idempotency_keys")
    key = models.CharField(max_length=200)
    method = models.CharField(max_length=8)
    path = models.TextField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_index=True)
    # --- The answer; stored in the same transaction, so that no other sees a row without it ---
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True)
    location = models.TextField(blank=True)
    is_kept = models.BooleanField(default=True)  # False where the answer showed a secret

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_use_of_an_idempotency_key"),
            models.CheckConstraint(
                condition=models.Q(is_kept=True) | models.Q(body=""), name="no_secret_is_kept_in_an_answer"
            ),
        ]
