"""Events as they come in: bytes are decoded here."""
