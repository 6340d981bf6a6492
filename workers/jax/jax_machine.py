"""JAX's side of the machine: devices, threads, versions, memory. Shared with keras_jax."""
import os
import platform

import jax
import jaxlib
import lockstep_sdk as sdk
import numpy as np


def versions():
    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__, "numpy": np.__version__,
            "python": platform.python_version()}


def devices_of(kind):
    """JAX's devices of that kind; none where this JAX was not built for it."""
    try:
        return jax.devices("cuda" if kind == "gpu" else "cpu")
    except RuntimeError:
        return []


def seen_devices():
    return [{"kind": kind, "index": index, "name": device.device_kind}
            for kind in ("cpu", "gpu") for index, device in enumerate(devices_of(kind))]


def prepare(job):
    """Takes the job's device, which becomes JAX's default, and TF32; returns the device."""
    devices = devices_of(job.device_kind)
    if job.device_index >= len(devices):
        raise sdk.Unsupported("JAX sees {} devices of kind {}, so there is no {} {}".format(
            len(devices), job.device_kind, job.device_kind, job.device_index))
    device = devices[job.device_index]
    jax.config.update("jax_default_device", device)
    if job.device_kind == "gpu":
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if job.tf32 else "highest")
    return device


def facts(device):
    return {"threads": os.environ.get("NPROC", "as many as cores"), "device": str(device),
            "XLA_FLAGS": os.environ.get("XLA_FLAGS", "unset"),
            "matmul_precision": str(jax.config.jax_default_matmul_precision or "default")}


def allocator_bytes(device):
    """XLA keeps such figures for GPUs only."""
    figures = (device.memory_stats() if device is not None else None) or {}
    return {"xla_peak": figures["peak_bytes_in_use"]} if "peak_bytes_in_use" in figures else {}
