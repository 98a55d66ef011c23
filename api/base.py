"""What every address of the interface has in common: who asks with which token, what may be sent, what is done once."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from rest_framework.exceptions import PermissionDenied
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation import access
from annotation.domain.strict_json import NUL
from annotation.models import ApiToken, Project
from annotation.queries.imports import capped
from api import idempotency
from api.authentication import refuse_token_in_address
from api.parameters import BadParameter, UnknownParameter
from api.parsers import StrictJSON


class ScopeMissing(PermissionDenied):
    default_code = "scope_missing"

    def __init__(self, scope: str) -> None:
        super().__init__(f"This token has no scope '{scope}'. Make one that has.")
        self.more = {"scope": scope}


class TokenLimited(PermissionDenied):
    default_code = "token_limited"
    default_detail = "This token is limited to one project, and this address reaches beyond it."


class View(APIView):
    """A token with the scope is asked for, and nothing is taken that the view does not name.

    Whatever has a project in its address is 404 for tokens that are limited to another. What is not of one project
    such tokens may only read, and the view says by `within` what of it they see.
    """

    parser_classes = [StrictJSON]
    scope: ClassVar[str] = ApiToken.Scope.READ.value
    unsafe_scope: ClassVar[str] = ApiToken.Scope.WRITE.value
    known_parameters: tuple[str, ...] = ()

    def project(self, slug: str) -> Project:
        """A project in which the token's owner takes part; each view then asks whether in the right role."""
        project = access.member_project(self.request.user, slug)
        self.refuse_beyond(project.pk)
        return project

    @property
    def limit(self) -> int | None:
        """The key of the one project that the token is for; None where it is for all of its owner's."""
        token = self.request.auth
        return token.project_id if token else None

    def within(self, found: QuerySet, to: str = "project") -> QuerySet:
        """Of the rows those within the token's limit; `to` leads from a row to its project."""
        return found if self.limit is None else found.filter(**{to: self.limit})

    def refuse_beyond(self, project: int) -> None:
        """404 where what was found belongs to another project than the one of the token."""
        if self.limit not in (None, project):
            raise Http404

    # --- On the way to the view ---

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """As the framework has it, but that a write with an Idempotency-Key is done once."""
        self.args, self.kwargs = args, kwargs
        self.request = request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            self.initial(request, *args, **kwargs)
            method = request.method.lower()
            there = method in self.http_method_names and hasattr(self, method)
            handler = getattr(self, method) if there else self.http_method_not_allowed
            key = idempotency.key_of(request) if there and not self._is_safe() else ""
            if key:
                response = idempotency.once(request, key, lambda: handler(request, *args, **kwargs))
            else:
                response = handler(request, *args, **kwargs)
        except Exception as error:
            response = self.handle_exception(error)
        self.response = self.finalize_response(request, response, *args, **kwargs)
        return self.response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_token_in_address(request)
        super().initial(request, *args, **kwargs)
        self._refuse_scope()
        self._refuse_limit()
        self._refuse_nul()
        self._refuse_parameters()

    def _is_safe(self) -> bool:
        return self.request.method in SAFE_METHODS

    def _refuse_scope(self) -> None:
        wanted = self.scope if self._is_safe() else self.unsafe_scope
        if self.request.auth and wanted not in self.request.auth.scopes.split():
            raise ScopeMissing(wanted)

    def _refuse_limit(self) -> None:
        """Once for all views, whatever door they use themselves."""
        token = self.request.auth
        if not token or not token.project:
            return
        if "slug" in self.kwargs:
            if self.kwargs["slug"] != token.project.slug:
                raise Http404
        elif not self._is_safe():
            raise TokenLimited

    def _refuse_nul(self) -> None:
        """Which one database takes for a text like any other, and the other takes nowhere."""
        if any(NUL in str(value) for value in self.kwargs.values()):
            raise Http404
        for name, values in self.request.query_params.lists():
            if any(NUL in value for value in values):
                raise BadParameter(f"{capped(name)} holds a NUL. Leave it out.")

    def _refuse_parameters(self) -> None:
        known = self.known_parameters
        for name, values in self.request.query_params.lists():
            if name not in known:
                listed = ", ".join(known) or "no parameters"
                raise UnknownParameter(f"{capped(name)} is not known here; this address takes {listed}.")
            if len(values) > 1:
                raise UnknownParameter(f"{name} stands in the address {len(values)} times. Give it once.")


class WhateverIsAccepted(DefaultContentNegotiation):
    """For what has one form alone, whatever the reader says that it accepts; a refusal is a problem all the same."""

    def select_renderer(
        self, request: Request, renderers: list[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type
