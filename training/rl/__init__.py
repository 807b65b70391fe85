"""The method's algorithms: policy, critic, reward model and their training.

Nothing here knows Django. torch is imported only by the modules that compute;
`types`, `webrl_config`, `metric_names` and `launch` stay free of it.
"""
