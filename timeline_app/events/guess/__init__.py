"""From a sample of events to the declaration of a stream: every guess with its reason, and what else it could be."""

from timeline_app.events.guess.guess import Guessed, guess
from timeline_app.events.guess.sample import Sample, read_sample

__all__ = ["Guessed", "Sample", "guess", "read_sample"]
