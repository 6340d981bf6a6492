"""The worker for PyTorch: a module, a criterion, an optimizer and an eager step, as its manual shows."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import contextlib

import numpy as np
import torch
from torch import nn

import torch_machine
from loader import Pictures, loader
from network import as_tensor, canonical, sequential
from optimizer import optimizer_of, restart


class Trainer(sdk.Trainer):
    resource_errors = torch_machine.RESOURCE_ERRORS
    device = None
    loader = None

    def identity(self):
        return sdk.Identity(
            name="pytorch", versions=torch_machine.versions(),
            convolution="OIHW", dense="out_in", flatten="CHW",
            precisions=("float32", "bfloat16"), inputs=("locked", "native"), devices=("cpu", "gpu"),
            options=("compile", "channels_last", "fused", "loader_workers") + torch_machine.OPTIONS,
            seen=torch_machine.seen_devices())

    def build(self, network, job):
        self.job = job
        self.device = torch_machine.prepare(job, self.warn)
        self.channels_last = job.flag("channels_last", False)
        self.loader_workers = whole_number(job, "loader_workers")
        self.module = sequential(network, job).to(self.device)
        if self.channels_last:
            self.module = self.module.to(memory_format=torch.channels_last)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = optimizer_of(job, self.module.parameters())
        compiled = job.flag("compile", False)
        if compiled:
            torch_machine.require_compiler()
        self.model = torch.compile(self.module) if compiled else self.module
        with self.phase("compile"):
            images = np.zeros((job.batch,) + network.input, np.float32)
            self.step(images, np.zeros(job.batch, np.int32))
            self.predict(images)
        facts = torch_machine.facts(self.device)
        facts.update({name: job.options.get(name, "off") for name in ("compile", "channels_last", "fused")})
        return sdk.Built(
            shapes=[(name, tuple(values.shape)) for name, values in self._named()],
            parameters=sum(values.numel() for values in self.module.parameters()), facts=facts)

    def load(self, weights):
        with torch.no_grad():
            for name, values in self._named():
                values.copy_(torch.from_numpy(weights[name]))
        restart(self.optimizer)

    def weights(self):
        return {name: values.detach().cpu().numpy() for name, values in self._named()}

    def gradients(self, images, labels):
        logits, loss = self._forward(*self._on_device(images, labels))
        self.optimizer.zero_grad()
        loss.backward()
        return sdk.Gradients(logits.detach().float().cpu().numpy(), loss.item(), {
            name: values.grad.cpu().numpy() for name, values in self._named()})

    def step(self, images, labels):
        images, labels = self._on_device(images, labels)
        self.optimizer.zero_grad()
        _, loss = self._forward(images, labels)
        loss.backward()
        self.optimizer.step()
        torch_machine.wait_for(self.device)
        return loss.item()

    def predict(self, images):
        self.model.eval()
        with torch.inference_mode(), self._precision():
            logits = self.model(self._images_on_device(images))
        self.model.train()
        return logits.float().cpu().numpy()

    def allocator_bytes(self):
        return torch_machine.allocator_bytes(self.device)

    def native_batches(self, data):
        if self.loader is None:
            with self.phase("load_data"):
                pictures = Pictures(data.train_images, data.train_labels)
                self.loader = loader(pictures, self.job, self.loader_workers)
        return self.loader

    def pixels(self, data, count, native):
        if not native:
            return super().pixels(data, count, native)
        pictures = Pictures(data.train_images, data.train_labels)
        return torch.stack([pictures[place][0] for place in range(count)]).permute(0, 2, 3, 1).numpy()

    def _named(self):
        return [(canonical(name), values) for name, values in self.module.named_parameters()]

    def _forward(self, images, labels):
        with self._precision():
            logits = self.model(images)
            return logits, self.criterion(logits, labels)

    def _precision(self):
        if self.job.precision == "float32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def _on_device(self, images, labels):
        """Numpy from lockstep, tensors from a DataLoader."""
        if not torch.is_tensor(labels):
            labels = torch.from_numpy(labels).long()
        return self._images_on_device(images), labels.to(self.device, non_blocking=True)

    def _images_on_device(self, images):
        if not torch.is_tensor(images):
            images = as_tensor(images, self.channels_last)
        elif self.channels_last:
            images = images.contiguous(memory_format=torch.channels_last)
        return images.to(self.device, non_blocking=True)


def whole_number(job, name):
    """The option as a whole number from 0, which is its default."""
    text = job.options.get(name, "0")
    if not text.isdigit():
        raise sdk.Unsupported("option {} is \"{}\". It takes a whole number from 0".format(name, text))
    return int(text)


if __name__ == "__main__":
    sdk.serve(Trainer())
