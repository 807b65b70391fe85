"""Tasks that need two sites, each open in a tab of its own."""
