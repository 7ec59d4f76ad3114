"""REST APIs that are polled."""
