"""Tests of the sandbox sites."""
