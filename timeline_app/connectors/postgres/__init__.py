"""PostgreSQL tables."""
