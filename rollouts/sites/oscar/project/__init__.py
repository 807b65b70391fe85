"""The Django project around django-oscar, run by an environment of its own.

Nothing of the workbench imports it: another Python, with another Django, does.
"""
