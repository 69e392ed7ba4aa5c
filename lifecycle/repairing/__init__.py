"""Repairs: from what failing tasks taught to new steps for a skill. Pure; whoever decides, and writes, is elsewhere."""
