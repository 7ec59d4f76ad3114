"""Every template of *New plan* can be created over REST as the page does it, and every node answers on its sample."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from docs.templates_of_plans import FILE

TEMPLATES: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template["title"])
def test_a_template_answers_on_its_sample(api: APIClient, template: dict[str, Any]) -> None:
    text = "\n".join(template["plan"]) + "\n"
    document = api.post("/api/text/", {"text": text}, format="json").json()["document"]
    for name, declaration in document.pop("streams").items():
        assert api.post("/api/streams/", {"name": name, **declaration}, format="json").status_code == 201
    sample = {"name": template["title"], "events": template["events"]}
    stored = api.post("/api/samples/", sample, format="json")
    assert stored.status_code == 201, stored.json()
    created = api.post("/api/plans/", {"name": template["title"], "document": document}, format="json")
    question = {"plan": created.json()["id"], "sample": stored.json()["id"], "partly": True}
    answer = api.post("/api/evaluate/", question, format="json").json()
    assert answer["left_out"] == []
    assert answer["warnings"] == []
    answering = {row["node"] for row in answer["answers"] if len(row["points"]) > 1}
    assert set(document["results"]) <= answering
