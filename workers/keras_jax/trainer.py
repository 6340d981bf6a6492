"""The worker for Keras 3 on JAX: fit and predict, as its users write them."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import jax
import keras
import numpy as np

import jax_machine
from batches import BatchesTrainer


class Trainer(BatchesTrainer):
    device = None

    def identity(self):
        return sdk.Identity(
            name="keras_jax", versions={"keras": keras.__version__, **jax_machine.versions()},
            precisions=("float32", "bfloat16"), inputs=("locked", "native"), devices=("cpu", "gpu"),
            seen=jax_machine.seen_devices())

    def prepare(self, job):
        self.device = jax_machine.prepare(job)

    def machine_facts(self):
        return jax_machine.facts(self.device)

    def gradients(self, images, labels):
        others = [variable.value for variable in self.model.non_trainable_variables]

        def loss(trainable):
            logits, _ = self.model.stateless_call(trainable, others, images, training=True)
            return self.loss(labels, logits), logits

        (value, logits), found = jax.jit(jax.value_and_grad(loss, has_aux=True))(
            [variable.value for _, variable in self.variables()])
        return sdk.Gradients(np.asarray(logits), float(value), {
            name: np.asarray(gradient) for name, gradient in zip(self.names, found)})

    def allocator_bytes(self):
        return jax_machine.allocator_bytes(self.device)


if __name__ == "__main__":
    sdk.serve(Trainer())
