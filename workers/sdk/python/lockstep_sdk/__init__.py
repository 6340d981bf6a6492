"""The Python side of lockstep's worker protocol: an author fills in one Trainer and calls serve().

Import this module before the framework: its first act is the stamp `started`, so that the framework's
import is measured. Needs Python 3.8 or newer and numpy 1.21 or newer, nothing else.
"""
import time

STARTED = time.monotonic_ns()

from .dataset import Dataset, Images  # noqa: E402
from .failures import Unsupported  # noqa: E402
from .job import Job, Layer, Network, Optimizer  # noqa: E402
from .run import Run  # noqa: E402
from .server import serve  # noqa: E402
from .trainer import Built, Gradients, Identity, Trainer  # noqa: E402

__all__ = [
    "Built", "Dataset", "Gradients", "Identity", "Images", "Job", "Layer", "Network", "Optimizer", "Run",
    "STARTED", "Trainer", "Unsupported", "serve",
]
