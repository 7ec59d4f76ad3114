"""What those who run the product look at: readiness, metrics, logs, backups."""
