"""What runs inside a zone of the Action: each takes tar streams, does one thing with few rights, and gives one back.

docs/decisions/0002-zones.md says which zone sees what, and why.
"""
