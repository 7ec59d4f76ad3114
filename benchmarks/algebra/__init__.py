"""Each operator by itself: events a second of a core, locally and in Spark."""
