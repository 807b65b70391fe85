"""Made-up rows: for looking around, and for measuring pages at their full size."""
