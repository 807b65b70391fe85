"""One phase's training: critic, selection of steps, policy."""
