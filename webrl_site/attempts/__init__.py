"""Training episodes by template: which tasks phases solve, and which never."""
