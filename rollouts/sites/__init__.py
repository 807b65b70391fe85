"""Small sites that the agent works on: pages, seed data, tasks, oracle, generator.

Each site has a folder with its data, its state, its pages and its task templates.
"""
