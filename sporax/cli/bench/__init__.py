"""`sporax bench`: measures sporax on this machine and compares it with other libraries."""
