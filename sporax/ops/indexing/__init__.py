"""Elements read and written at indices, slices and masks."""
