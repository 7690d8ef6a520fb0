"""Choices between platforms, made as on another one."""

import contextlib

import jax


@contextlib.contextmanager
def chosen_as_on(platform):
    """Let sporax choose as on this platform, whatever device a script before has set."""
    real, device = jax.default_backend, jax.config.jax_default_device
    jax.default_backend = lambda: platform
    jax.config.update("jax_default_device", None)
    try:
        yield
    finally:
        jax.default_backend = real
        jax.config.update("jax_default_device", device)
