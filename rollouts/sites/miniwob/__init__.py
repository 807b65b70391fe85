"""MiniWoB++ as tasks: its pages by seed, their goals, and scripted solutions."""
