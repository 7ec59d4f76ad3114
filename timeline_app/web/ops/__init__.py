"""Operations: health checks, metrics, logs, lockout, backups."""
