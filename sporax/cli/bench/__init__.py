"""`sporax bench`: how fast sporax is on this machine, beside other libraries."""
