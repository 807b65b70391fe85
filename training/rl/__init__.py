"""The method's algorithms: policy, critic, reward model and their training.

The core holds what every training shares; `phase/` trains a phase's critic and policy,
`orm/` the reward model, `sft/` clones demonstrations, `starter/` the first models.
Nothing here knows Django. torch is imported only by the modules that compute;
`types`, `webrl_config`, `metric_names` and `launch` stay free of it.
"""
