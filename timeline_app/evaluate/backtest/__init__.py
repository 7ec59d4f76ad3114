"""Back-tests of alerts: replay events in the order of arrival, and return what a rule would have made of them."""
