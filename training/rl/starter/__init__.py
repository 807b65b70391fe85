"""The recipe that makes the starter models from nothing, step by step.

tokenizer -> induction -> reading -> demonstrations (SFT) -> reward model -> critic.
The models it makes are ordinary checkpoints: nothing else in the project knows that
they are small.
"""
