"""Plain frozen values: what every other part reads and writes. No input or output happens here."""
