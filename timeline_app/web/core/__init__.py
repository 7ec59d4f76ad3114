"""What all features share: permissions, audit, requests and answers of the API, search, transactions."""
