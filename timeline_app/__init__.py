"""Timelines: state over event time, for each key, computed live on Spark."""
