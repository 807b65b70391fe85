"""Episodes in the files of others: plain values in, plain values out; no database.

Files come from anybody, so all of them are hostile: they are read as JSON, as
Parquet or as pictures, each within limits, and nothing in them is ever run.
"""
