"""Pure functions on arrays: they compute, they neither check nor print."""
