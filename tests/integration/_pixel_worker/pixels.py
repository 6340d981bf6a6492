"""The fake worker with pixels: right ones, or spoiled in native input by PIXELS_NATIVE, in locked input by
PIXELS_LOCKED: "shift" (value 5 of image 3 by one grey level), "tiny" (all by 5e-7), "nan" (the first), "short" (one
image too few), "refuse"."""
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fake_worker"))

import trainer  # before the others: it knows where they are

import misdeeds
import npy_values


class PixelWorker(trainer.Worker):
    def hello(self, request):
        reply = super().hello(request)
        reply["worker"] = "pixels"
        reply["can"]["inputs"] = ["locked", "native"]
        return reply

    def pixels(self, request):
        misdeed = os.environ.get("PIXELS_" + request["input"].upper(), "")
        if misdeed == "refuse":
            sys.exit(3)
        _, shape, values = self.images
        size = math.prod(shape[1:])
        count = request["count"] - (misdeed == "short")
        pixels = [value / 255 + (5e-7 if misdeed == "tiny" else 0) for value in values[: count * size]]
        if misdeed == "shift":
            pixels[3 * size + 5] += 1 / 255
        if misdeed == "nan":
            pixels[0] = math.nan
        npy_values.write(request["file"], "<f4", [count, *shape[1:]], pixels)
        return {}


if __name__ == "__main__":
    PixelWorker(misdeeds.named("")).serve()
