"""The stages: each reads files, calls the pure core and writes files. No click, no environment, no clock of its own."""
