"""Birch Works: a place where people share code, in the image of GitLab."""
