"""The network as a pure function of its parameters."""
import jax
import jax.numpy as jnp
from jax import lax

IMAGES = ("NHWC", "HWIO", "NHWC")


def parameters(network):
    """One float32 array a parameter, by canonical name, zeros at first."""
    return {name: jnp.zeros(shape, jnp.float32) for name, shape in network.shapes()}


def forward(network, compute):
    """logits(parameters, images, key): float32 whatever the layers calculate in (`compute`). `key`: for
    dropout; None: everything passes."""

    def logits(found, images, key):
        values = images.astype(compute)
        for place, layer in enumerate(network.layers):
            values = applied(layer, found, values, None if key is None else jax.random.fold_in(key, place))
        return values.astype(jnp.float32)

    return logits


def applied(layer, found, values, key):
    if layer.kind == "max_pool":
        window = (1, layer.window, layer.window, 1)
        return lax.reduce_window(values, -jnp.inf, lax.max, window, window, "VALID")
    if layer.kind == "flatten":
        return values.reshape(len(values), -1)
    if layer.kind == "dropout":
        if key is None:
            return values
        kept = jax.random.bernoulli(key, 1 - layer.rate, values.shape)
        return jnp.where(kept, values / (1 - layer.rate), 0)
    kernel = found[layer.name + ".kernel"].astype(values.dtype)
    if layer.kind == "convolution":
        values = lax.conv_general_dilated(values, kernel, (1, 1), layer.padding.upper(),
                                          dimension_numbers=IMAGES)
    else:
        values = values @ kernel
    values = values + found[layer.name + ".bias"].astype(values.dtype)
    return jax.nn.relu(values) if layer.activation == "relu" else values


def cross_entropy(logits, labels):
    """Mean over the batch, from logits."""
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -jnp.mean(chosen)
