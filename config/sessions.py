"""Who is signed in. Every request asks, so both questions are prepared statements."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import User
from annotation.models.prepared import Parameter, prepared
from annotation.queries import account


class SessionStore(db.SessionStore):
    """In the database alone: a cache of each process would keep a session alive that another has ended."""

    def load(self) -> dict[str, object]:
        found = _session_data(key=self.session_key, now=timezone.now())
        if not found:
            self._session_key = None
        return self.decode(found[0]) if found else {}


class Accounts(AuthenticationBackend):
    def get_user(self, user_id: int) -> User | None:
        found = account.account(user_id)
        return found if found and self.user_can_authenticate(found) else None


@prepared
def _session_data(*, key: Parameter, now: Parameter) -> QuerySet:
    return Session.objects.filter(session_key=key, expire_date__gt=now).values_list("session_data", flat=True)
