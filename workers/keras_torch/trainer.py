"""The worker for Keras 3 on PyTorch: fit and predict, as its users write them."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import keras
import numpy as np
import torch

import torch_machine
from batches import BatchesTrainer
from fitting import arranged


class Trainer(BatchesTrainer):
    resource_errors = torch_machine.RESOURCE_ERRORS
    jit_option = "compile"
    data_formats = ("channels_last", "channels_first")
    fetches_inside_steps = False
    device = None

    def identity(self):
        return sdk.Identity(
            name="keras_torch", versions={"keras": keras.__version__, **torch_machine.versions()},
            precisions=("float32", "bfloat16"), inputs=("locked", "native"), devices=("cpu", "gpu"),
            options=("compile", "data_format") + torch_machine.OPTIONS, seen=torch_machine.seen_devices())

    def prepare(self, job):
        self.device = torch_machine.prepare(job, self.warn)
        keras.device("{}:{}".format(job.device_kind, job.device_index)).__enter__()  # for all that follows
        if job.flag("compile", False):
            torch_machine.require_compiler()

    def machine_facts(self):
        return torch_machine.facts(self.device)

    def gradients(self, images, labels):
        self.model.zero_grad()
        logits = self.model(arranged(images), training=True)
        loss = self.loss(labels, logits)
        loss.backward()
        found = {name: variable.value.grad.cpu().numpy().copy() for name, variable in self.variables()}
        self.model.zero_grad()
        return sdk.Gradients(logits.detach().cpu().numpy(), loss.item(), found)

    def allocator_bytes(self):
        return torch_machine.allocator_bytes(self.device)


if __name__ == "__main__":
    sdk.serve(Trainer())
