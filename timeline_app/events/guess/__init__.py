"""Guesses the declaration of a stream from sample events: each guess with its reason and alternatives."""

from timeline_app.events.guess.guess import Guessed, guess
from timeline_app.events.guess.sample import Sample, read_sample

__all__ = ["Guessed", "Sample", "guess", "read_sample"]
