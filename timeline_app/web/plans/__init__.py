"""Plans: documents and texts, drafts and versions; checking, running and stopping them."""
