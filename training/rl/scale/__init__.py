"""What large models need: adapters, several processes, trackers."""
