"""The practice sites as the BrowserGym benchmark `webrl_sites`.

Requires `browsergym-core` (and `browsergym-experiments` for `study.py`), which the
workbench itself does not: nothing else imports this folder.
"""
