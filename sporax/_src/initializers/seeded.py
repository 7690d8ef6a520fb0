"""Fill arrays from an explicit seed, for scripts that bypass the initializers."""

from sporax._src.initializers.random_init import fill_normal, fill_truncated_normal, fill_uniform


def random_uniform(seed, array, low, high):
    """Fill a NumPy array with uniform values in [low, high).

    >>> array = np.zeros(3)
    >>> random_uniform(7, array, 2.0, 2.0)
    >>> array
    array([2., 2., 2.])
    """
    fill_uniform(array, low, high, seed)


def random_normal(seed, array, mean, sigma):
    """Fill a NumPy array with normal values of mean `mean` and standard deviation `sigma`.

    >>> array = np.zeros(3)
    >>> random_normal(7, array, 2.0, 0.0)
    >>> array
    array([2., 2., 2.])
    """
    fill_normal(array, mean, sigma, seed)


def truncated_normal(seed, array, low, high, mean, sigma):
    """Like `random_normal`, truncated to [low, high].

    >>> array = np.zeros(100)
    >>> truncated_normal(7, array, -1.0, 1.0, 0.0, 3.0)
    >>> bool(abs(array).max() <= 1)
    True
    """
    fill_truncated_normal(array, mean, sigma, low, high, seed)
