"""Everything that Theano 1.0.5 needs before it is imported: its settings, a BLAS, and what newer versions of
Python and numpy have taken away. Import this module first; it changes the environment of this process alone.

Settings come from here only: THEANO_FLAGS and .theanorc of the user would make two runs differ.
"""
import collections
import collections.abc
import ctypes
import os
import shutil
import sys
import types

FOLDER = os.environ.get("LOCKSTEP_THEANO", os.path.join(os.path.expanduser("~"), ".cache", "lockstep-theano"))
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))


def openblas():
    """(linker flags, compiler flags, the loaded library or None). The package's own library is found by its
    name because importing the package has loaded it already."""
    try:
        import scipy_openblas32 as package
    except ImportError:
        return "-lopenblas", "", None  # a Python of the user's own: Debian's libopenblas-dev
    names = os.path.join(FOLDER, "openblas_names.h")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openblas_names.h")
    aside = "{}.{}".format(names, os.getpid())
    shutil.copyfile(source, aside)  # beside the compiled modules, whose keys hold this path
    os.replace(aside, names)
    return ("-L{} -l{}".format(package.get_lib_dir(), package.get_library()), "-include " + names,
            ctypes.CDLL(os.path.join(package.get_lib_dir(), package.get_library(fullname=True))))


def write_settings():
    """Float32, all caches in FOLDER, OpenMP loops for more than one thread. The name of the compile directory
    holds the versions that its modules are compiled for, and not the kernel's, as it does by default."""
    os.makedirs(FOLDER, exist_ok=True)
    linker_flags, compiler_flags, library = openblas()
    paths = FOLDER + linker_flags.partition(" -l")[0]
    if "," in paths or " " in paths:
        raise SystemExit("Theano cannot work in a folder with a space or a comma in its name: {}. Choose "
                         "another home folder with LOCKSTEP_HOME.".format(FOLDER))
    settings = {
        "device": "cpu", "floatX": "float32", "openmp": str(THREADS > 1), "cxx": "g++",
        "base_compiledir": os.path.join(FOLDER, "compiled"),
        "compiledir_format": "python-%(python_version)s-numpy-%(numpy_version)s",
        "blas.ldflags": linker_flags, "gcc.cxxflags": compiler_flags}
    os.environ["THEANO_FLAGS"] = ",".join("{}={}".format(name, text) for name, text in settings.items() if text)
    os.environ["THEANORC"] = os.devnull
    return library


def restore_names():
    """What Theano 1.0.5 and Lasagne 0.1 still look for."""
    for name in ("Callable", "Hashable", "Iterable", "Mapping", "MutableMapping", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    # The C code of scan does not compile with this Python; without it scan runs in Python.
    sys.modules["theano.scan_module.scan_perform_ext"] = None
    downsample = types.ModuleType("theano.tensor.signal.downsample")
    downsample.max_pool_2d = max_pool_2d
    sys.modules[downsample.__name__] = downsample


def max_pool_2d(input, ds, ignore_border=None, st=None, padding=(0, 0), mode="max"):
    """As the module downsample of earlier Theanos had it."""
    from theano.tensor.signal import pool

    return pool.pool_2d(input, ws=ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)


restore_names()
OPENBLAS = write_settings()
