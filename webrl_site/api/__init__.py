"""The REST API's root: routes, errors, tokens, writes and exports."""
