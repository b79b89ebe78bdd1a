"""How options are compared, whichever kind of group they are for."""
