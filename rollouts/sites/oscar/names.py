"""Names that the sandbox and the shop's process share; each runs its own Python."""

from __future__ import annotations

# In the shop's folder.
TEMPLATE = "template.sqlite3"
EPISODES = "episodes"
SOCKET = "shop.sock"
# Header with the database that answers: "FOLDER/FILE" below the episodes.
HEADER = "x-sandbox-episode"
