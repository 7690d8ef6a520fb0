"""`mindspore.log`, as sporax has it; written by tools/write_stubs.py."""

from logging import *
from sporax._src.mindspore.compat.log_settings import get_level as get_level
from sporax._src.mindspore.compat.log_settings import get_log_config as get_log_config

import logging as logging
