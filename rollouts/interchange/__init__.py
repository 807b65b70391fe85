"""Episodes in other programs' files: plain values in, plain values out; no database.

Files are untrusted: they are read as JSON, as Parquet or as pictures, each within
limits, and nothing in them is ever run.
"""
