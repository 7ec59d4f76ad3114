"""What of a page breaks the rules of accessibility that a program can check."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from workers.stack.layout import ROOT

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def find_overflow(page: Page, width: int = 320) -> list[str]:
    """What stands out of a window of this width, in which nothing may have to be moved sideways to be read."""
    page.set_viewport_size({"width": width, "height": 800})
    names: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
            .filter(one => one.getBoundingClientRect().right > innerWidth)
            .slice(0, 12).map(one => `${one.tagName}.${one.className}`)"""
    )
    page.set_viewport_size({"width": 1440, "height": 900})
    return names


def find_violations(page: Page, name: str = "") -> list[str]:
    """The broken rules, each with the first places: of the whole page, or of the `name` that a selector names."""
    page.evaluate(AXE.read_text())  # a script tag would go against the content security policy
    documents: list[dict[str, Any]] = page.evaluate(
        """([part, rules]) => axe.run(part || document, {runOnly: {type: 'tag', values: rules}})
            .then(it => it.violations)""",
        [name, RULES],
    )
    return [
        f"{item['id']}: {item['help']} {[(node['target'], node['failureSummary']) for node in item['nodes'][:4]]}"
        for item in documents
    ]
