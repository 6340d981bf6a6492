"""TensorFlow's side of the machine: devices, threads, versions, memory. Shared with keras_tensorflow."""
import contextlib
import os
import platform

import lockstep_sdk as sdk
import tensorflow as tf

OPTIONS = ("intra_threads", "inter_threads", "profiler")
RESOURCE_ERRORS = (tf.errors.ResourceExhaustedError,)


def versions():
    return {"tensorflow": tf.__version__, "keras": tf.keras.__version__, "python": platform.python_version()}


def seen_devices():
    return [{"kind": device.device_type.lower(), "index": int(device.name.rsplit(":", 1)[1]),
             "name": device.name}
            for device in tf.config.list_physical_devices() if device.device_type in ("CPU", "GPU")]


def prepare(job, warn):
    """Takes the device, the threads and the seed of the job. Comes before TensorFlow's first operation."""
    if not os.path.isabs(job.options.get("profiler", "/")):
        raise sdk.Unsupported("option profiler is \"{}\"; it takes the absolute path of a folder".format(
            job.options["profiler"]))
    gpus = tf.config.list_physical_devices("GPU")
    if job.device_kind == "gpu" and job.device_index >= len(gpus):
        raise sdk.Unsupported("TensorFlow sees {} GPUs, so there is no GPU {}".format(
            len(gpus), job.device_index))
    try:
        tf.config.set_visible_devices(gpus[job.device_index] if job.device_kind == "gpu" else [], "GPU")
        if job.device_kind == "gpu":
            tf.config.experimental.set_memory_growth(gpus[job.device_index], True)
        tf.config.threading.set_intra_op_parallelism_threads(job.number("intra_threads", job.threads))
        tf.config.threading.set_inter_op_parallelism_threads(job.number("inter_threads", job.threads))
    except RuntimeError as failure:
        warn("TensorFlow did not take its devices and threads: {}".format(failure))
    tf.config.experimental.enable_tensor_float_32_execution(job.tf32)
    tf.random.set_seed(job.seed)


def facts():
    return {
        "intra_op_threads": str(tf.config.threading.get_intra_op_parallelism_threads()),
        "inter_op_threads": str(tf.config.threading.get_inter_op_parallelism_threads()),
        "TF_ENABLE_ONEDNN_OPTS": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "unset"),
        "tf32": "on" if tf.config.experimental.tensor_float_32_execution_enabled() else "off",
        "devices": ", ".join(device.name for device in tf.config.list_logical_devices()),
    }


@contextlib.contextmanager
def profiled(job, warn):
    """Around a training: with the option `profiler`, tf.profiler writes a trace into that folder, in one of its
    own for each run."""
    folder = job.options.get("profiler")
    if not folder:
        yield
        return
    warn("tf.profiler runs and writes into {}; the times of the steps hold its cost".format(folder))
    tf.profiler.experimental.start(folder)
    try:
        yield
    finally:
        tf.profiler.experimental.stop()


def allocator_bytes(job):
    """TensorFlow keeps such figures for GPUs only."""
    if job is None or job.device_kind != "gpu":
        return {}
    return {"tensorflow_gpu_peak": tf.config.experimental.get_memory_info("GPU:0")["peak"]}
