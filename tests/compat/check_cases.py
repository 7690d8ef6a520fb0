"""Calls of `mindspore._checkparam`'s functions, for `tools.record checks` and the tests."""

import builtins

CASES = """
check_positive_int(3, "n", "Op")
check_positive_int(0, "n", "Op")
check_positive_int(True, "n", "Op")
check_positive_int(1.5, "n", "Op")
check_positive_int(1.5)
check_positive_int(0)
check_positive_int(0, "n")
check_positive_int([1], prim_name="Op")
check_non_negative_int(0)
check_non_negative_int(-1, "n", "Op")
check_negative_int(1, "n", "Op")
check_non_positive_int(1, "n", "Op")
check_positive_int_sequence([1, 2], "n", "Op")
check_positive_int_sequence([1, 0], "n", "Op")
check_non_negative_int_sequence((1, -1), "n", "Op")
check_int(3, 2, GT, "n", "Op")
check_int(3, 4, EQ, "n", "Op")
check_int(3, 4, GE, "n", "Op")
check_int(3, 3, NE, "n", "Op")
check_int(3, 3, LT, "n", "Op")
check_int(4, 3, LE, "n")
check_equal_int(3, 4, "n", "Op")
check_equal_int(4, 4, "n", "Op")
check_is_int(3, "n", "Op")
check_is_int(3.0, "n", "Op")
check_is_int(True, "n", "Op")
check_is_float(1, "r", "Op")
check_is_float(0.5, "r", "Op")
check_float(0.5, 0.7, GE, "r", "Op")
check_positive_float(0.5, "r", "Op")
check_positive_float(0.0, "r", "Op")
check_positive_float(1, "r", "Op")
check_positive_float(float("nan"), "r", "Op")
check_positive_float(float("inf"), "r", "Op")
check_non_negative_float(-0.1, "r", "Op")
check_negative_float(0.1, "r", "Op")
check_non_positive_float(0.1, "r", "Op")
check_positive_float_sequence([1.0, 0.0], "n", "Op")
check_number("n", 3, 4, GT, "Op")
check_number("n", 5, 4, GT, "Op")
check_is_number(3, int, "n", "Op")
check_is_number("3", int, "n", "Op")
check_is_number(float("inf"), float, "n", "Op")
check_number_range(3, 0, 2, INC_BOTH, int, "n", "Op")
check_int_range(2, 0, 3, INC_BOTH, "n", "Op")
check_int_range(5, 0, 3, INC_BOTH, "n", "Op")
check_int_range(3, 0, 3, INC_LEFT, "n", "Op")
check_int_range(0, 0, 3, INC_RIGHT, "n", "Op")
check_int_range(True, 0, 3, INC_RIGHT, "n", "Op")
check_float_range(0.5, 0.0, 1.0, INC_NEITHER, "r", "Op")
check_float_range(1.5, 0.0, 1.0, INC_NEITHER, "r", "Op")
check_float_range(1, 0.0, 1.0, INC_RIGHT, "r", "Op")
check_bool(True, "b", "Op")
check_bool(1, "b", "Op")
check_bool(1)
check_string("a", ["a", "b"], "s", "Op")
check_string("x", ["a", "b"], "s", "Op")
check_string(3, ["a", "b"])
check_isinstance("n", 3, int)
check_isinstance("n", 3, str)
check_isinstance("n", 3, (str, float))
check_value_type("x", 3, int, "Op")
check_value_type("x", 3, [str], "Op")
check_value_type("x", 3, [str, float], "Op")
check_value_type("x", 3, (str, float))
check_value_type("x", True, [int], "Op")
check_value_type("x", True, [int, bool], "Op")
check_value_type("x", None, [type(None), int], "Op")
check("n", 3, "m", 3)
check("n", 3, "m", 4)
check("n", 3, "m", 4, EQ, "Op")
check("n", 3, "m", 4, LE, "Op")
check("n", 3, "m", 4, GT, "Op")
check("n", 3, "m", 4, NE)
check("n", 3, "m", [4, 5], IN, "Op")
check("n", 4, "m", [4, 5], IN, "Op")
check("n", 3, "m", 4, EQ, "Op", TypeError)
check_subclass("x", float32, [number], "Op")
check_subclass("x", float32, float32, "Op")
check_type_name("x", float32, [float32], "Op")
check_type_name("x", float32, [int32], "Op")
check_type_name("x", float32, [int32, float16], "Op")
check_type_name("x", int, [float32], "Op")
check_str_by_regular("ab")
check_str_by_regular("a b")
check_file_name_by_regular("a/b.txt")
check_file_name_by_regular("a?b")
check_axis_in_range(-1, 2)
check_axis_in_range(3, 2)
args_type_check(x=int)(lambda x: x)(3)
args_type_check(x=int)(lambda x: x)(None)
args_type_check(x=int)(lambda x: x)("a")
args_type_check(x=(int, float))(lambda x: x)(x="a")
[EQ, NE, LT, LE, GT, GE, INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN]
""".strip().splitlines()


class Names:
    """The names available to a call: Python's builtins, then the checks, then the dtypes."""

    def __init__(self, *homes):
        self.homes = (builtins, *homes)

    def __getitem__(self, name):
        for home in self.homes:
            if hasattr(home, name):
                return getattr(home, name)
        raise KeyError(name)


def evaluate(case, checks, dtypes):
    """Return [repr of the result, None] or [message, name of the error]."""
    try:
        return [repr(eval(case, {}, Names(checks, dtypes))), None]
    except (TypeError, ValueError) as error:
        return [str(error), type(error).__name__]
