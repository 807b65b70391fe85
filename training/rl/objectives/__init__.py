"""What a policy can be trained for: one file an objective, one row of the table."""
