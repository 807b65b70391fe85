"""Harbor Talk: a discussion board."""
