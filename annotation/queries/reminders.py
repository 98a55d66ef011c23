"""When somebody was last reminded of their work. The journal keeps it."""

from datetime import datetime

from annotation.models import JournalEntry, Membership, Project

SENT, FAILED = "membership.reminded", "membership.reminder_failed"


def last(project: Project) -> dict[int, datetime]:
    """By membership; a mail that the server did not take is none.

    Only leads remind, and what leads do is a small part of a journal, so it is sought by who did it.
    """
    leads = project.memberships.filter(role=Membership.Role.LEAD).values("user")
    members = set(project.memberships.filter(role=Membership.Role.ANNOTATOR).values_list("pk", flat=True))
    entries = JournalEntry.objects.filter(actor__in=leads, action__in=[SENT, FAILED]).order_by("pk")
    sent: dict[int, list[datetime]] = {}
    for action, data, at in entries.values_list("action", "data", "at"):
        of_member = sent.setdefault(data["member"], [])
        if action == SENT:
            of_member.append(at)
        elif of_member:
            of_member.pop()
    return {member: moments[-1] for member, moments in sent.items() if moments and member in members}
