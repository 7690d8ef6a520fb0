def write(located):
    return None
