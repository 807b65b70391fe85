"""The pages on which observations and locators are compared."""
