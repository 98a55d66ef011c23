"""What `manage.py agreement` makes of a file: its rows, their scale, the measures, and how they are shown."""
