"""What of a page breaks the rules of accessibility that a program can check."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from workers.stack.layout import ROOT

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(page: Page) -> list[str]:
    """What is wrong, each with the first places."""
    page.evaluate(AXE.read_text())  # a script tag would go against the content security policy
    found: list[dict[str, Any]] = page.evaluate(
        "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}}).then(it => it.violations)", RULES
    )
    return [
        f"{each['id']}: {each['help']} {[(node['target'], node['failureSummary']) for node in each['nodes'][:4]]}"
        for each in found
    ]
