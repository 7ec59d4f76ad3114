"""The demos: one small file each, discovered by folder and listed nowhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from timeline_app.demos.base import Demo

__all__ = ["Demo", "load_demos"]


@cache
def load_demos() -> Mapping[str, Demo]:
    """Return every demo by the name of its stream, the one that runs first."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.name != "base"]
    demos: list[Demo] = [importlib.import_module(f"{__name__}.{name}").DEMO for name in names]
    demos.sort(key=lambda demo: (not demo.runs, demo.stream))
    return MappingProxyType({demo.stream: demo for demo in demos})
