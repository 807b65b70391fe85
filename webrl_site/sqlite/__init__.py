"""SQLite as Django's database, with writers that wait in line."""
