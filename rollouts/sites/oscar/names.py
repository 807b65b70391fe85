"""What the sandbox and the shop's process have agreed on; each runs its own Python."""

from __future__ import annotations

# In the shop's folder.
TEMPLATE = "template.sqlite3"
EPISODES = "episodes"
SOCKET = "shop.sock"
# Tells the process which database answers: "FOLDER/FILE" below the episodes.
HEADER = "x-sandbox-episode"
