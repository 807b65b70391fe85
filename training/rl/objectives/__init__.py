"""The objectives a policy can be trained for: one file and one table row for each."""
