"""What `./webrl` does: standard library only, any Python from 3.11 on."""
