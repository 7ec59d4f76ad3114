"""Code that all features share: permissions, audit, API requests and responses, search, transactions."""
