"""Files: golden sets, fixtures, records and runs. Input and output of values happen here and nowhere else."""
