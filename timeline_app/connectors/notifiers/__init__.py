"""Where people are notified of incidents: webhooks, mail, Alertmanager."""
