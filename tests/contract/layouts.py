"""Canonical tensors (HWIO, in_out, features as HWC) to and from a worker's layouts."""


def arranged(described, layouts):
    """{name: (shape, places)}: the declared shape, and where each declared value is in the canonical one."""
    found, image = {}, None
    for layer in described["layers"]:
        name = layer["name"]
        if layer["kind"] == "flatten":
            image = layer["input"]
        elif layer["kind"] == "convolution":
            found[name + ".kernel"] = _convolution(layer, layouts)
            found[name + ".bias"] = ([layer["filters"]], list(range(layer["filters"])))
        elif layer["kind"] == "dense":
            found[name + ".kernel"] = _dense(layer, layouts, image)
            found[name + ".bias"] = ([layer["units"]], list(range(layer["units"])))
            image = None
    return found


def to_declared(values, places):
    return [values[place] for place in places]


def to_canonical(values, places):
    canonical = [0.0] * len(values)
    for value, place in zip(values, places):
        canonical[place] = value
    return canonical


def _convolution(layer, layouts):
    (height, width), inputs, outputs = layer["kernel"], layer["input"][2], layer["filters"]

    def place(y, x, i, o):
        if layouts["flipped"]:
            y, x = height - 1 - y, width - 1 - x
        return ((y * width + x) * inputs + i) * outputs + o

    if layouts["convolution"] == "HWIO":
        return [height, width, inputs, outputs], [
            place(y, x, i, o) for y in range(height) for x in range(width) for i in range(inputs)
            for o in range(outputs)]
    return [outputs, inputs, height, width], [
        place(y, x, i, o) for o in range(outputs) for i in range(inputs) for y in range(height)
        for x in range(width)]


def _dense(layer, layouts, image):
    inputs, outputs = layer["input"][0], layer["units"]
    rows = list(range(inputs))
    if image is not None and layouts["flatten"] == "CHW":
        height, width, channels = image
        rows = [(y * width + x) * channels + c for c in range(channels) for y in range(height)
                for x in range(width)]
    if layouts["dense"] == "in_out":
        return [inputs, outputs], [row * outputs + o for row in rows for o in range(outputs)]
    return [outputs, inputs], [row * outputs + o for o in range(outputs) for row in rows]
