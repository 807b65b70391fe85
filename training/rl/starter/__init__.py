"""The recipe that makes the starter models from nothing, step by step.

tokenizer -> induction -> reading -> demonstrations (SFT) -> reward model -> critic.
The models it makes are ordinary checkpoints: nothing else in the project depends on
their small size. Nothing here is from the paper, which starts from pre-trained models
of 8B and more: these curricula replace that pre-training.
"""
