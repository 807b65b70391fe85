"""What others did, as rows: runs, phases and tasks."""
