"""Times of events: from the units, formats and zones that people have to microseconds since the epoch, and back."""
