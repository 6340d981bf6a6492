"""Theano's side of the machine: versions, options, threads, caches. Shared by every worker on Theano."""
import contextlib
import ctypes
import functools
import gc
import os
import platform
import subprocess
import threading

import theano_setup  # before Theano

import lockstep_sdk as sdk
import numpy as np
import theano
from theano.gof.cc import CLinker

OPTIONS = ("optimizer", "openmp")
OPTIMIZERS = ("fast_run", "fast_compile")
BETWEEN_SIGNS_OF_LIFE = 1.0  # seconds; every time-out of lockstep is longer by far


def versions():
    return {"theano": theano.__version__, "numpy": np.__version__, "python": platform.python_version()}


def prepare(job):
    """Takes the job's seed and options. Must come before the first graph."""
    optimizer = job.options.get("optimizer", "fast_run")
    if optimizer not in OPTIMIZERS:
        raise sdk.Unsupported("Theano's optimizer is one of {} here, not \"{}\"".format(
            ", ".join(OPTIMIZERS), optimizer))
    theano.config.optimizer = optimizer
    if not job.flag("openmp", theano.config.openmp):
        leave_threads_to_blas()
    np.random.seed(job.seed % 2 ** 32)


def leave_threads_to_blas():
    """Theano's own default: serial loops, threads in the matrix product alone. Operations that were made at
    Theano's import keep the setting of that time and are changed one by one."""
    theano.config.openmp = False
    for thing in gc.get_objects():
        if isinstance(thing, theano.gof.OpenMPOp):
            thing.openmp = False
    if theano_setup.OPENBLAS:
        theano_setup.OPENBLAS.scipy_openblas_set_num_threads(theano_setup.THREADS)


def facts(function):
    """What a compiled function really runs on."""
    order = function.maker.fgraph.toposort()
    names = [type(node.op).__name__ for node in order]
    wide = [node for node in order for value in node.inputs + node.outputs
            if getattr(value.type, "dtype", "") == "float64"]
    found = {
        "optimizer": theano.config.optimizer, "openmp": "on" if theano.config.openmp else "off",
        "openmp_threads": str(ctypes.CDLL("libgomp.so.1").omp_get_max_threads()),
        "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "unset"),
        "blas": theano.config.blas.ldflags.rpartition("-l")[2], "blas_threads": "not known",
        "convolution_operations": ", ".join(sorted({name for name in names if "Corr" in name or "Conv" in name})),
        "operations": str(len(names)), "float64_operations": str(len(wide)), "compiler": compiler()}
    if theano_setup.OPENBLAS:
        theano_setup.OPENBLAS.scipy_openblas_get_config.restype = ctypes.c_char_p
        found["blas"] = theano_setup.OPENBLAS.scipy_openblas_get_config().decode().strip()
        found["blas_threads"] = str(theano_setup.OPENBLAS.scipy_openblas_get_num_threads())
    return found


def compiler():
    said = subprocess.run([theano.config.cxx, "--version"], stdout=subprocess.PIPE, universal_newlines=True)
    return said.stdout.partition("\n")[0]


@contextlib.contextmanager
def signs_of_life(trainer):
    """Tells lockstep that a compilation is no hang."""
    done = threading.Event()

    def tell():
        while not done.wait(BETWEEN_SIGNS_OF_LIFE):
            trainer.alive()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def keep_compiled_modules():
    """Theano 1.0.5 takes an operation without properties (`__props__ = ()`) for one without a version, and
    deletes its compiled module at the end of the process, so that every start compiles it again. The module's
    key names the operation itself, so the versions of its code and of its types are enough."""
    original = CLinker.cmodule_key_

    @functools.wraps(original)
    def cmodule_key_(self, fgraph, *more, **named):
        key = original(self, fgraph, *more, **named)
        if not key or key[0]:
            return key
        versions = []
        for node in self.schedule(fgraph):
            if hasattr(node.op, "c_code_cache_version_apply"):
                versions.append(node.op.c_code_cache_version_apply(node))
            versions += [value.type.c_code_cache_version() for value in node.inputs + node.outputs]
        return (tuple(versions), key[1]) if all(versions) else key

    CLinker.cmodule_key_ = cmodule_key_


keep_compiled_modules()
