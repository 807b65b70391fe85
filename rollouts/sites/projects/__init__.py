"""Birch Works: a code hosting site modelled on GitLab."""
