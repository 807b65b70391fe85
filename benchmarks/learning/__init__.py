"""Does it learn? Objectives, ablations and controls from one start, side by side.

`./webrl bench learning --list` prints the methods. `--set NAME=VALUE` changes a number
of `command.Choices`. What is done already in the work folder is not done again.
"""
