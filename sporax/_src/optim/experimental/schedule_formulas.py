"""Array formulas of the schedules: a rate from the previous one, or for a given step."""

import math

import jax.numpy as jnp


def step(t, lr, base, *, step_size, gamma):
    return jnp.where((t == 0) | (t % step_size != 0), lr, lr * gamma)


def step_at(t, base, *, step_size, gamma):
    return base * gamma ** (t // step_size)


def milestones(t, lr, base, *, milestones, gamma):
    return lr * gamma ** sum((t == m).astype(jnp.float32) for m in milestones)


def milestones_at(t, base, *, milestones, gamma):
    return base * gamma ** sum((t >= m).astype(jnp.float32) for m in milestones)


def constant(t, lr, base, *, factor, total_iters):
    return jnp.where(t == 0, lr * factor, jnp.where(t == total_iters, lr / factor, lr))


def constant_at(t, base, *, factor, total_iters):
    return base * jnp.where(t >= total_iters, 1, factor)


def linear(t, lr, base, *, start_factor, end_factor, total_iters):
    slope = end_factor - start_factor
    factor = 1 + slope / (total_iters * start_factor + (t - 1) * slope)
    return jnp.where(t == 0, lr * start_factor, jnp.where(t > total_iters, lr, lr * factor))


def linear_at(t, base, *, start_factor, end_factor, total_iters):
    done = jnp.minimum(t, total_iters) / total_iters
    return base * (start_factor + (end_factor - start_factor) * done)


def exponential(t, lr, base, *, gamma):
    return jnp.where(t == 0, lr, lr * gamma)


def exponential_at(t, base, *, gamma):
    return base * gamma**t


def polynomial(t, lr, base, *, total_iters, power):
    going = (t > 0) & (t <= total_iters)
    before = jnp.where(going, 1 - (t - 1) / total_iters, 1)
    left = jnp.where(going, 1 - t / total_iters, 1)
    return lr * (left / before) ** power


def polynomial_at(t, base, *, total_iters, power):
    return base * (1 - jnp.minimum(t, total_iters) / total_iters) ** power


def cosine(t, lr, base, *, T_max, eta_min):
    at_minimum = (t - 1 - T_max) % (2 * T_max) == 0
    up = lr + (base - eta_min) * (1 - math.cos(math.pi / T_max)) / 2
    before = jnp.where(at_minimum, 1, 1 + jnp.cos(math.pi * (t - 1) / T_max))
    on = (1 + jnp.cos(math.pi * t / T_max)) / before * (lr - eta_min) + eta_min
    return jnp.where(t == 0, lr, jnp.where(at_minimum, up, on))


def cosine_at(t, base, *, T_max, eta_min):
    return cosine_between(base, t, T_max, eta_min)


def cosine_between(base, t, length, lowest):
    return lowest + (base - lowest) * (1 + jnp.cos(math.pi * t / length)) / 2


def restart(t, current, length, *, T_mult):
    """Return (step, steps in this cycle, cycle length) one step later."""
    current = jnp.where(t < 0, 0.0, current + 1)
    over = current >= length
    return (
        t + 1,
        jnp.where(over, current - length, current),
        jnp.where(over, length * T_mult, length),
    )


def restart_at(t, *, T_0, T_mult):
    """Return the same values at a given step, possibly fractional."""
    t = t.reshape(()).astype(jnp.float32)
    if T_mult == 1:
        return jnp.floor(t), t % T_0, jnp.full((), float(T_0))
    cycle = jnp.floor(jnp.log(t / T_0 * (T_mult - 1) + 1) / math.log(T_mult))
    # the logarithm may be slightly off at the start of a cycle
    begins = lambda n: T_0 * (jnp.round(float(T_mult) ** n) - 1) / (T_mult - 1)  # noqa: E731
    cycle = jnp.where(
        t >= begins(cycle + 1), cycle + 1, jnp.where(t < begins(cycle), cycle - 1, cycle)
    )
    return jnp.floor(t), t - begins(cycle), T_0 * jnp.round(float(T_mult) ** cycle)


def triangle(t, *, total, up):
    """Return (cycle number from 1, height in it from 0 to 1)."""
    cycle = jnp.floor(1 + t / total)
    x = 1 + t / total - cycle
    ratio = up / total
    return cycle, jnp.where(x <= ratio, x / ratio, (x - 1) / (ratio - 1))


def better(metric, best, *, mode, threshold, relative):
    sign = 1 if mode == "min" else -1
    wanted = best * (1 - sign * threshold) if relative else best - sign * threshold
    return metric < wanted if mode == "min" else metric > wanted


def watch(metric, best, wait, resting, *, better, patience, cooldown):
    """Return (best, steps without improvement, remaining cooldown, True to reduce the rates)."""
    improved = better(metric, best)
    wait = jnp.where(improved | (resting > 0), 0, wait + 1)
    resting = jnp.where(resting > 0, resting - 1, resting)
    stale = wait > patience
    return (
        jnp.where(improved, metric, best), jnp.where(stale, 0, wait),
        jnp.where(stale, cooldown, resting), stale,
    )  # fmt: skip


def reduced(lr, lowest, stale, *, factor, eps):
    new = jnp.maximum(lr * factor, lowest)
    return jnp.where(stale & (lr > new + eps), new, lr)
