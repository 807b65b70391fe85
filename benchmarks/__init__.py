"""Measurements, one module each; run them with `./webrl bench NAME`."""
