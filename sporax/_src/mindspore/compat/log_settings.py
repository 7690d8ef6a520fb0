"""MindSpore's logging environment variables, applied to the logger "sporax"."""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from sporax._src.diagnosis.rules import rejection, require

_LEVELS = [logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL]
_FILE_DEFAULTS = {"logger_maxBytes": "52428800", "logger_backupCount": "30"}


def _log():
    return logging.getLogger("sporax")


def configure():
    """Apply GLOG_v, the minimum level that is logged, and with GLOG_logtostderr=0 log to
    GLOG_log_dir/rank_0/logs/mindspore.log; called when sporax is imported as MindSpore.
    """
    level = os.environ.get("GLOG_v")  # noqa: SIM112 - MindSpore's name
    if level is not None:
        require(level in map(str, range(5)), "level-0-debug-1", "GLOG_v", got=level)
        _log().setLevel(_LEVELS[int(level)])
    config = get_log_config()
    if config["GLOG_logtostderr"] == "0":
        _log_to_file(config)


def _log_to_file(config):
    require(config.get("GLOG_log_dir"), "glog-logtostderr-0-glog-log-dir-folder")
    for name in _FILE_DEFAULTS:
        if not config[name].isdigit():
            raise rejection(
                "value-number", name, got=config[name], file_defaults=_FILE_DEFAULTS[name]
            )
    folder = Path(config["GLOG_log_dir"]) / "rank_0" / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    size, count = (int(config[name]) for name in _FILE_DEFAULTS)
    handler = RotatingFileHandler(folder / "mindspore.log", maxBytes=size, backupCount=count)
    handler.setFormatter(logging.Formatter("[%(levelname)s] %(name)s:%(asctime)s %(message)s"))
    _log().addHandler(handler)
    _log().propagate = False


def get_level():
    """Return the minimum level: '0' DEBUG, '1' INFO, '2' WARNING, '3' ERROR, '4' CRITICAL.

    >>> ms.get_level()
    '2'
    """
    effective = _log().getEffectiveLevel()
    return str(next((i for i, level in enumerate(_LEVELS) if effective <= level), 4))


def get_log_config():
    """Return the logging settings by MindSpore's environment variables, with the settings of the
    log file if GLOG_logtostderr is 0.

    >>> ms.get_log_config()["GLOG_logtostderr"]
    '1'
    """
    config = {"GLOG_v": get_level()} | _from_environment({"GLOG_logtostderr": "1"})
    if config["GLOG_logtostderr"] == "0":
        config |= _from_environment({"GLOG_log_dir": ""} | _FILE_DEFAULTS)
    return config


def _from_environment(defaults):
    return {name: os.environ.get(name, value) for name, value in defaults.items()}
