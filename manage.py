#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists what there is."""

import os
import sys

from django.core.management import execute_from_command_line

from timeline_app.starting import exit_with_sentence

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    with exit_with_sentence():
        execute_from_command_line(sys.argv)
