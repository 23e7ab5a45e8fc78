"""What is asked of a judge, how its replies are read and what they may cost; a judge only by its Protocol."""
