"""Plans: documents and texts, drafts and versions, checked, run and stopped."""
