from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    ordering = "-pk"
    page_size = 100
