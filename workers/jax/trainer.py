"""The worker for JAX: a pure step, compiled by jax.jit, over parameters that are given up to it."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import jax
import jax.numpy as jnp
import numpy as np

import jax_machine
import optimizer
from network import cross_entropy, forward, parameters
from stream import Stream, scaled


class Trainer(sdk.Trainer):
    device = None
    stream = None

    def identity(self):
        return sdk.Identity(
            name="jax", versions=jax_machine.versions(), precisions=("float32", "bfloat16"),
            inputs=("locked", "native"), devices=("cpu", "gpu"), options=("donate",),
            seen=jax_machine.seen_devices())

    def build(self, network, job):
        self.job = job
        self.device = jax_machine.prepare(job)
        self.logits = forward(network, jnp.dtype(job.precision))
        self.parameters = parameters(network)
        self.state = optimizer.start(job.optimizer, self.parameters)
        self.key = jax.random.key(job.seed % 2 ** 63)
        donated = (0, 1) if job.flag("donate", True) else ()
        self.training_step = jax.jit(self._training_step, donate_argnums=donated)
        self.prediction = jax.jit(lambda found, images: self.logits(found, images, None))
        with self.phase("compile"):
            images = np.zeros((job.batch,) + network.input, np.float32)
            self.step(images, np.zeros(job.batch, np.int32))
            self.predict(images)
        facts = jax_machine.facts(self.device)
        facts["donate"] = job.options.get("donate", "on")
        return sdk.Built(
            shapes=[(name, self.parameters[name].shape) for name, _ in network.shapes()],
            parameters=sum(values.size for values in self.parameters.values()), facts=facts)

    def load(self, weights):
        self.parameters = {name: jnp.array(values) for name, values in weights.items()}
        self.state = optimizer.start(self.job.optimizer, self.parameters)

    def weights(self):
        return {name: np.asarray(values) for name, values in self.parameters.items()}

    def gradients(self, images, labels):
        (loss, logits), found = jax.jit(self._loss_and_gradients)(self.parameters, images, labels, None)
        return sdk.Gradients(np.asarray(logits), float(loss),
                             {name: np.asarray(values) for name, values in found.items()})

    def step(self, images, labels):
        self.parameters, self.state, self.key, loss = self.training_step(
            self.parameters, self.state, self.key, images, labels)
        jax.block_until_ready((self.parameters, loss))
        return float(loss)

    def predict(self, images):
        return np.asarray(self.prediction(self.parameters, images))

    def allocator_bytes(self):
        return jax_machine.allocator_bytes(self.device)

    def native_batches(self, data):
        if self.stream is None:
            with self.phase("load_data"):
                self.stream = Stream(data, self.job.batch, self.job.seed)
        return self.stream

    def pixels(self, data, count, native):
        if not native:
            return super().pixels(data, count, native)
        return scaled(data.train_images.bytes[:count])

    def _loss_and_gradients(self, found, images, labels, key):
        def loss(found):
            logits = self.logits(found, images, key)
            return cross_entropy(logits, labels), logits

        return jax.value_and_grad(loss, has_aux=True)(found)

    def _training_step(self, found, state, key, images, labels):
        following, this = jax.random.split(key)
        (loss, _), gradients = self._loss_and_gradients(found, images, labels, this if self.job.dropout else None)
        found, state = optimizer.updated(self.job.optimizer, found, gradients, state)
        return found, state, following, loss


if __name__ == "__main__":
    sdk.serve(Trainer())
