"""`mindspore.device_context`: availability and settings of each kind of device."""
