"""What is measured, a file for each room of the house."""

from importlib import import_module

ROOMS = ("tables", "maps", "calibrators", "curves", "measures", "start")  # in the order of the rows

for room in ROOMS:
    import_module(f"{__name__}.{room}")
