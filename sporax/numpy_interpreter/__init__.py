"""How does a program run that is not worth compiling? Its jaxpr is interpreted on NumPy."""

from sporax.numpy_interpreter.plans import Plan, Unsupported, evaluate, link, plan, supported

__all__ = ["Plan", "Unsupported", "evaluate", "link", "plan", "supported"]
