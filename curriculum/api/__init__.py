"""REST over sites, tasks, runs, phases and reviews; what every app's REST shares."""
