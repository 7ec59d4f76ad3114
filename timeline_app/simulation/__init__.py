"""Sources of made-up events, for the demo and for tests."""
