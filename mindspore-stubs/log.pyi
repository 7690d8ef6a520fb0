"""`mindspore.log`, as sporax has it; written by tools/write_stubs.py."""

from  import logging as logging
from logging import *

