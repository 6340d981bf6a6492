"""The two update rules as pure functions over all parameters at once."""
import jax
import jax.numpy as jnp


def start(rule, parameters):
    """The optimizer's state before the first update."""
    zeros = {name: jnp.zeros_like(values) for name, values in parameters.items()}
    if rule.kind == "sgd":
        return {"velocity": zeros}
    return {"updates": jnp.zeros((), jnp.int32), "first": zeros,
            "second": {name: jnp.zeros_like(values) for name, values in parameters.items()}}


def updated(rule, parameters, gradients, state):
    """(parameters, state) after one update."""
    return (momentum if rule.kind == "sgd" else adam)(rule, parameters, gradients, state)


def momentum(rule, parameters, gradients, state):
    velocity = jax.tree.map(lambda v, g: rule.momentum * v + g, state["velocity"], gradients)
    return jax.tree.map(lambda p, v: p - rule.learning_rate * v, parameters, velocity), {"velocity": velocity}


def adam(rule, parameters, gradients, state):
    """The epsilon-hat form: theta -= lr * sqrt(1-beta2^t)/(1-beta1^t) * m / (sqrt(v) + epsilon)."""
    updates = state["updates"] + 1
    first = jax.tree.map(lambda m, g: rule.beta1 * m + (1 - rule.beta1) * g, state["first"], gradients)
    second = jax.tree.map(lambda v, g: rule.beta2 * v + (1 - rule.beta2) * g * g, state["second"], gradients)
    t = updates.astype(jnp.float32)
    rate = rule.learning_rate * jnp.sqrt(1 - rule.beta2 ** t) / (1 - rule.beta1 ** t)
    found = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + rule.epsilon), parameters, first, second)
    return found, {"updates": updates, "first": first, "second": second}
