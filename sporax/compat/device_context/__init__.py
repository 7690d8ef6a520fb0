"""`mindspore.device_context`: for each kind of device, whether it is here, and its settings."""
