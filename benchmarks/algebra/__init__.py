"""Measure each operator alone: events per second and core, locally and in Spark."""
