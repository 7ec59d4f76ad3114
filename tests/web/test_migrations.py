"""The database of another version is refused before anything in it changes."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import pre_migrate


@pytest.mark.usefixtures("db")
def test_tables_of_another_version_are_refused_by_name() -> None:
    begun: list[object] = []
    pre_migrate.connect(lambda **about: begun.append(about), weak=False, dispatch_uid="begun")
    MigrationRecorder.Migration.objects.create(app="web", name="0039_displays")
    with pytest.raises(CommandError, match=r"of another version \(0039_displays unknown here\).*Start that"):
        call_command("migrate", verbosity=0)
    pre_migrate.disconnect(dispatch_uid="begun")
    assert not begun


@pytest.mark.usefixtures("db")
def test_migrations_of_other_applications_are_not_ours_to_refuse() -> None:
    MigrationRecorder.Migration.objects.create(app="a_plugin", name="0001_initial")
    call_command("migrate", verbosity=0, check_unapplied=True)
    assert MigrationRecorder.Migration.objects.filter(app="a_plugin").exists()
