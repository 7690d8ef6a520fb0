"""Programs that compute arrays again to take less memory."""
