"""What all tests share: hypothesis profiles, and a data directory of the test run's own."""

from __future__ import annotations

import os
import tempfile

from hypothesis import HealthCheck, settings

# Before Django reads its settings: tests never touch the data of a running product.
os.environ["TIMELINE_DATA"] = tempfile.mkdtemp(prefix="timelines-tests-")
for name in ("DATABASE_URL", "TIMELINE_DEBUG", "TIMELINE_HTTPS", "TIMELINE_ALLOWED_HOSTS"):
    os.environ.pop(name, None)

settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")
