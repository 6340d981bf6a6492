"""A plain JAX training script as its manual shows, for comparison with the worker's steps.

    python jax_script.py cnn3 --size 28 --batch 64 --threads 2 --steps 200

Prints the median step in milliseconds. Pictures are random: the time of a step does not depend on them. Adam
here is the textbook's form, and what the step gives back is awaited.
"""
import argparse
import os
import statistics
import time

FILTERS = {"cnn2": (32, 64), "cnn3": (64, 128, 256)}
UNITS = {"cnn2": (128, 10), "cnn3": (512, 256, 10)}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("network", choices=sorted(FILTERS))
    options.add_argument("--size", type=int, default=28)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--steps", type=int, default=200)
    given = options.parse_args()
    os.environ["NPROC"] = str(given.threads)
    train(given)


def train(given):
    import jax
    import jax.numpy as jnp
    import numpy as np

    random = np.random.default_rng(1)
    params, inputs, side = [], 1, given.size
    for filters in FILTERS[given.network]:
        params.append((random.normal(0, 0.05, (3, 3, inputs, filters)).astype("f"), np.zeros(filters, "f")))
        inputs, side = filters, side // 2
    inputs *= side * side
    for units in UNITS[given.network]:
        params.append((random.normal(0, 0.05, (inputs, units)).astype("f"), np.zeros(units, "f")))
        inputs = units
    params = jax.tree.map(jnp.array, params)
    convolutions = len(FILTERS[given.network])

    def predict(params, x, key):
        for w, b in params[:convolutions]:
            x = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x + b)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = x.reshape(x.shape[0], -1)
        for w, b in params[convolutions:-1]:
            x = jax.nn.relu(jnp.dot(x, w) + b)
            if given.network == "cnn3":
                key, this = jax.random.split(key)
                x = jnp.where(jax.random.bernoulli(this, 0.5, x.shape), x * 2, 0)
        w, b = params[-1]
        return jnp.dot(x, w) + b

    def loss(params, x, y, key):
        logits = jax.nn.log_softmax(predict(params, x, key))
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], axis=1))

    def update(params, m, v, t, x, y, key):
        value, grads = jax.value_and_grad(loss)(params, x, y, jax.random.fold_in(key, t))
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, grads)
        params = jax.tree.map(
            lambda p, m, v: p - 1e-3 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-7),
            params, m, v)
        return params, m, v, value

    update = jax.jit(update, donate_argnums=(0, 1, 2))
    m, v = jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params)
    key = jax.random.key(1)
    x = random.random((given.batch, given.size, given.size, 1), "f")
    y = random.integers(10, size=given.batch).astype("i")
    times = []
    for step in range(given.steps + 1):
        begin = time.perf_counter()
        params, m, v, value = update(params, m, v, float(step + 1), x, y, key)
        jax.block_until_ready((params, value))
        times.append(time.perf_counter() - begin)
    times = times[1:]  # the first one compiles
    print("{:.3f}".format(statistics.median(times[min(10, given.steps // 2):]) * 1000))


if __name__ == "__main__":
    main()
