"""`mindspore.log`, as sporax has it; written by tools/write_stubs.py."""

from logging import *

import logging as logging
