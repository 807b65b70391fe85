"""REST for sites, tasks, runs, phases and reviews, and what all apps' REST shares."""
