"""Back-tests of alerts: what a rule would have made of the events in the order in which they came, on both clocks."""
