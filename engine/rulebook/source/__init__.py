"""Why: the bytes of a pack become a tree in which every key and value knows its place."""
