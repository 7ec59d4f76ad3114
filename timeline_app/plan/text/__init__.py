"""The text language of plans: a text for every plan document, and back, without loss."""

from timeline_app.plan.text.read import Text, read_text, read_text_with_places
from timeline_app.plan.text.write import write_text

__all__ = ["Text", "read_text", "read_text_with_places", "write_text"]
