"""The logger that all of rankscope.hta tells."""

from __future__ import annotations

import logging
import logging.config


def setup_logger(config_file: str = "") -> logging.Logger:
    """The logger, after a file in the format of logging.config.fileConfig where one is named."""
    if config_file:
        logging.config.fileConfig(config_file, disable_existing_loggers=False)
    return logging.getLogger("hta")


logger: logging.Logger = setup_logger()
