"""The recipe that makes the starter models from nothing, step by step.

tokenizer -> induction -> reading -> demonstrations (SFT) -> reward model -> critic.
The models it makes are ordinary checkpoints: nothing else in the project knows that
they are small. Nothing here is of the paper, which starts from models of 8B and more
that can read: these curricula stand in for that pre-training.
"""
