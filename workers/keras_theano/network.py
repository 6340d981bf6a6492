"""The network as a Keras Sequential model."""
from keras import backend as K
from keras.layers import Activation, Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential


def sequential(network, job):
    """The softmax is a layer of its own, so that the logits can be had too; the graph is the same."""
    height, width, channels = network.input
    shape = (channels, height, width) if K.image_data_format() == "channels_first" else network.input
    found = []
    for layer in network.layers:
        activation = None if layer.activation == "none" else layer.activation
        first = {} if found else {"input_shape": shape}
        if layer.kind == "convolution":
            made = Conv2D(layer.filters, layer.kernel, padding=layer.padding, activation=activation,
                          name=layer.name, **first)
        elif layer.kind == "max_pool":
            made = MaxPooling2D(layer.window, name=layer.name, **first)
        elif layer.kind == "flatten":
            made = Flatten(name=layer.name, **first)
        elif layer.kind == "dense":
            made = Dense(layer.units, activation=activation, name=layer.name, **first)
        else:
            made = Dropout(layer.rate if job.dropout else 0.0, name=layer.name, **first)
        found.append(made)
    return Sequential(found + [Activation("softmax", name="softmax")], name=network.short)
