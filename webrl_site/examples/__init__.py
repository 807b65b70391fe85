"""Made-up rows, to try the dashboard and to measure pages at full size."""
