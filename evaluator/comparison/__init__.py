"""What changed between two runs, and whether it may be merged: pure functions over values (design section 8)."""
