"""GitHub: its events as values, and a client of its API. Nothing here reads the environment or the clock."""
