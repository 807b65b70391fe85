"""Does it learn? Objectives, ablations and controls from one start, side by side.

`./webrl bench learning --list` prints the methods. `--set NAME=VALUE` changes a field
of `command.Choices`. Work that is already in the work folder is not repeated.
"""
