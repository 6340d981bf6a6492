"""Asks one framework in float64 what the reference was asked, by the framework's own layers, gradients and, where
it has the form, optimizer:

    PYTHON verify_reference_asked.py tensorflow|jax|torch FOLDER

FOLDER is what verify_reference_answers wrote. Prints one JSON object: for each case each quantity's largest distance
from the reference over the reference's largest value; a case whose optimizer's form the framework lacks is left out.
"""
import json
import os
import pathlib
import sys

import numpy as np


class Question:
    def __init__(self, folder):
        self.folder = folder
        described = json.loads((folder / "case.json").read_text())
        self.layers = described["job"]["network"]["layers"]
        self.rule = described["job"]["optimizer"]
        self.form, self.batch, self.steps = described["form"], described["batch"], described["steps"]
        self.loss, self.losses = described["loss"], described["losses"]
        self.names = [path.name[len("weights."):-len(".npy")] for path in sorted(folder.glob("weights.*.npy"))]
        self.weights = self.tensors("weights.")
        self.images, self.labels = np.float64(self.read("images")), self.read("labels")

    def read(self, name):
        return np.load(self.folder / (name + ".npy"))

    def tensors(self, prefix):
        return {name: np.float64(self.read(prefix + name)) for name in self.names}

    def batches(self):
        for step in range(self.steps):
            part = slice(step * self.batch, (step + 1) * self.batch)
            yield self.images[part], self.labels[part]


def distances(question, logits, losses, gradients, after):
    def apart(seen, exact):
        return float(np.abs(np.asarray(seen) - exact).max() / np.abs(exact).max())

    found = {"logits": apart(logits, question.read("logits")), "loss": apart(losses[0], np.float64(question.loss)),
             "losses": apart(losses, np.float64(question.losses))}
    for prefix, tensors in (("gradient.", gradients), ("after.", after)):
        exact = question.tensors(prefix)
        for name, values in tensors.items():
            found[prefix + name] = apart(values, exact[name])
    return found


def tensorflow(question):
    import tensorflow as tf
    if question.form not in ("epsilon_hat", "plain", "nesterov"):
        return None
    weights = {name: tf.Variable(values) for name, values in question.weights.items()}

    def logits_of(values):
        for layer in question.layers:
            if layer["kind"] == "max_pool":
                values = tf.nn.max_pool2d(values, layer["window"], layer["window"], "VALID")
            elif layer["kind"] == "flatten":
                values = tf.reshape(values, [len(values), -1])
            elif layer["kind"] != "dropout":
                kernel, bias = weights[layer["name"] + ".kernel"], weights[layer["name"] + ".bias"]
                values = (tf.nn.conv2d(values, kernel, 1, layer["padding"].upper())
                          if layer["kind"] == "convolution" else tf.matmul(values, kernel)) + bias
                values = tf.nn.relu(values) if layer["activation"] == "relu" else values
        return values

    slots = {name: [tf.Variable(tf.zeros_like(value)) for _ in range(2)] for name, value in weights.items()}
    rule, losses = question.rule, []
    for step, (images, labels) in enumerate(question.batches(), 1):
        with tf.GradientTape() as tape:
            logits = logits_of(tf.constant(images))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        gradients = dict(zip(weights, tape.gradient(loss, list(weights.values()))))
        losses.append(loss.numpy())
        if step == 1:
            first = logits.numpy(), {name: value.numpy() for name, value in gradients.items()}
        number = lambda name: tf.constant(rule[name], tf.float64)
        for name, gradient in gradients.items():
            if rule["kind"] == "adam":
                tf.raw_ops.ResourceApplyAdam(
                    var=weights[name].handle, m=slots[name][0].handle, v=slots[name][1].handle,
                    beta1_power=number("beta1") ** step, beta2_power=number("beta2") ** step,
                    lr=number("learning_rate"), beta1=number("beta1"), beta2=number("beta2"),
                    epsilon=number("epsilon"), grad=gradient)
            else:
                tf.raw_ops.ResourceApplyMomentum(
                    var=weights[name].handle, accum=slots[name][0].handle, lr=number("learning_rate"), grad=gradient,
                    momentum=number("momentum"), use_nesterov=question.form == "nesterov")
    return first[0], losses, first[1], {name: value.numpy() for name, value in weights.items()}


def torch(question):
    import torch
    if question.form == "epsilon_hat":
        return None
    weights = {name: torch.tensor(values.transpose(3, 2, 0, 1).copy() if values.ndim == 4 else values,
                                  requires_grad=True) for name, values in question.weights.items()}

    def canonical(values):
        values = values.detach().numpy()
        return values.transpose(2, 3, 1, 0).copy() if values.ndim == 4 else values.copy()

    def logits_of(values):
        values = values.permute(0, 3, 1, 2)
        for layer in question.layers:
            if layer["kind"] == "max_pool":
                values = torch.nn.functional.max_pool2d(values, layer["window"])
            elif layer["kind"] == "flatten":
                values = values.permute(0, 2, 3, 1).flatten(1)
            elif layer["kind"] != "dropout":
                kernel, bias = weights[layer["name"] + ".kernel"], weights[layer["name"] + ".bias"]
                values = (torch.nn.functional.conv2d(values, kernel, bias, padding=layer["padding"])
                          if layer["kind"] == "convolution" else values @ kernel + bias)
                values = torch.relu(values) if layer["activation"] == "relu" else values
        return values

    rule, losses = question.rule, []
    if rule["kind"] == "adam":
        optimizer = torch.optim.Adam(weights.values(), rule["learning_rate"], (rule["beta1"], rule["beta2"]),
                                     rule["epsilon"])
    else:
        optimizer = torch.optim.SGD(weights.values(), rule["learning_rate"], rule["momentum"],
                                    rule["momentum"] if question.form == "dampened" else 0,
                                    nesterov=question.form == "nesterov")
    for step, (images, labels) in enumerate(question.batches()):
        optimizer.zero_grad()
        logits = logits_of(torch.tensor(images))
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(labels, dtype=torch.int64))
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            first = logits.detach().numpy(), {name: canonical(value.grad) for name, value in weights.items()}
        optimizer.step()
    return first[0], losses, first[1], {name: canonical(value) for name, value in weights.items()}


def jax(question):
    """It has no optimizer of its own; the update stands here as the contract words it."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    jax.config.update("jax_enable_x64", True)
    if question.form not in ("epsilon_hat", "plain"):
        return None

    def logits_of(weights, values):
        for layer in question.layers:
            if layer["kind"] == "max_pool":
                window = (1, layer["window"], layer["window"], 1)
                values = jax.lax.reduce_window(values, -np.inf, jax.lax.max, window, window, "VALID")
            elif layer["kind"] == "flatten":
                values = values.reshape(len(values), -1)
            elif layer["kind"] != "dropout":
                kernel, bias = weights[layer["name"] + ".kernel"], weights[layer["name"] + ".bias"]
                values = (jax.lax.conv_general_dilated(values, kernel, (1, 1), layer["padding"].upper(),
                                                       dimension_numbers=("NHWC", "HWIO", "NHWC"))
                          if layer["kind"] == "convolution" else values @ kernel) + bias
                values = jax.nn.relu(values) if layer["activation"] == "relu" else values
        return values

    def loss_of(weights, images, labels):
        logits = logits_of(weights, images)
        logarithms = jax.nn.log_softmax(logits)
        return -logarithms[np.arange(len(labels)), labels].mean(), logits

    rule, losses, weights = question.rule, [], dict(question.weights)
    first_moment = {name: np.zeros_like(values) for name, values in weights.items()}
    second_moment = {name: np.zeros_like(values) for name, values in weights.items()}
    for step, (images, labels) in enumerate(question.batches(), 1):
        (loss, logits), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights, images, labels)
        losses.append(float(loss))
        if step == 1:
            first = logits, gradients
        for name, gradient in gradients.items():
            m, v, gradient = first_moment[name], second_moment[name], np.asarray(gradient)
            if rule["kind"] == "adam":
                m[...] = rule["beta1"] * m + (1 - rule["beta1"]) * gradient
                v[...] = rule["beta2"] * v + (1 - rule["beta2"]) * gradient ** 2
                rate = rule["learning_rate"] * np.sqrt(1 - rule["beta2"] ** step) / (1 - rule["beta1"] ** step)
                weights[name] = weights[name] - rate * m / (np.sqrt(v) + rule["epsilon"])
            else:
                m[...] = rule["momentum"] * m + gradient
                weights[name] = weights[name] - rule["learning_rate"] * m
    return first[0], losses, first[1], weights


def main():
    ask = {"tensorflow": tensorflow, "torch": torch, "jax": jax}[sys.argv[1]]
    found = {}
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*/case.json")):
        question = Question(path.parent)
        answer = ask(question)
        if answer is not None:
            found[path.parent.name] = distances(question, *answer)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
