"""django-oscar as a site: its fixed data, its tasks, and the project that runs it."""
