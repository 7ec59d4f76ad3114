"""Kafka: source and sink."""
