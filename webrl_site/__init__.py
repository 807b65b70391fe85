"""The composition root: it imports every app, and no app imports it."""
