"""PyTorch's side of the machine: devices, threads, versions, memory. Shared with keras_torch."""
import os
import platform
import shutil
import sysconfig

import lockstep_sdk as sdk
import numpy as np
import torch

OPTIONS = ("intra_threads", "inter_threads")
RESOURCE_ERRORS = (torch.cuda.OutOfMemoryError,)


def versions():
    return {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()}


def seen_devices():
    gpus = [{"kind": "gpu", "index": index, "name": torch.cuda.get_device_name(index)}
            for index in range(torch.cuda.device_count())]
    return [{"kind": "cpu", "index": 0, "name": torch.backends.cpu.get_cpu_capability()}] + gpus


def prepare(job, warn):
    """Takes the threads, the device and the seed of the job; returns the device. Comes before the first
    operation."""
    try:
        torch.set_num_threads(job.number("intra_threads", job.threads))
        torch.set_num_interop_threads(job.number("inter_threads", job.threads))
    except RuntimeError as failure:
        warn("PyTorch did not take its threads: {}".format(failure))
    torch.manual_seed(job.seed)
    if job.device_kind == "cpu":
        return torch.device("cpu")
    if job.device_index >= torch.cuda.device_count():
        raise sdk.Unsupported("PyTorch sees {} GPUs, so there is no GPU {}".format(
            torch.cuda.device_count(), job.device_index))
    torch.backends.cuda.matmul.allow_tf32 = job.tf32
    torch.backends.cudnn.allow_tf32 = job.tf32
    device = torch.device("cuda", job.device_index)
    torch.cuda.set_device(device)
    return device


def require_compiler():
    """torch.compile writes C++ for a CPU and compiles it here."""
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler):
        raise sdk.Unsupported("torch.compile needs a C++ compiler, and there is no {}. Install g++".format(
            compiler))
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        raise sdk.Unsupported("torch.compile needs Python's headers (Python.h). Install python3-dev")


def facts(device):
    found = {
        "intra_op_threads": str(torch.get_num_threads()),
        "inter_op_threads": str(torch.get_num_interop_threads()),
        "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "unset"),
        "onednn": "on" if torch.backends.mkldnn.is_available() else "off",
        "mkl": "on" if torch.backends.mkl.is_available() else "off",
        "cpu_capability": torch.backends.cpu.get_cpu_capability(), "device": str(device),
    }
    if device.type == "cuda":
        found.update({"cuda": str(torch.version.cuda), "cudnn": str(torch.backends.cudnn.version()),
                      "tf32": "on" if torch.backends.cuda.matmul.allow_tf32 else "off"})
    return found


def wait_for(device):
    """Until all work that was given to the device is done. A CPU is never behind."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def allocator_bytes(device):
    """PyTorch keeps such figures for GPUs only."""
    if device is None or device.type != "cuda":
        return {}
    return {"torch_cuda_peak_allocated": torch.cuda.max_memory_allocated(device),
            "torch_cuda_peak_reserved": torch.cuda.max_memory_reserved(device)}
