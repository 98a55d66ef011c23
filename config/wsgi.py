"""What serves the pages. What they need is loaded before the web processes are forked, which then share it."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

GARBAGE = (
    20_000  # objects that requests leave behind before circles among them are looked for; Python's own is 700
)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
reverse("home")  # loads every view
# What is loaded is never given up: nobody looks through it again, and so the processes go on sharing its memory.
gc.collect()
gc.freeze()
gc.set_threshold(GARBAGE, 10, 10)
