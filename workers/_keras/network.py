"""The network as a Keras Sequential model."""
import keras
from keras import layers


def sequential(network, job):
    """Logits come out as float32 whatever the policy says, as Keras advises for mixed precision."""
    height, width, channels = network.input
    first = keras.config.image_data_format() == "channels_first"
    found = [keras.Input(shape=(channels, height, width) if first else network.input)]
    for layer in network.layers:
        activation = None if layer.activation == "none" else layer.activation
        if layer.kind == "convolution":
            found.append(layers.Conv2D(layer.filters, layer.kernel, padding=layer.padding,
                                       activation=activation, name=layer.name))
        elif layer.kind == "max_pool":
            found.append(layers.MaxPooling2D(layer.window, name=layer.name))
        elif layer.kind == "flatten":
            found.append(layers.Flatten(name=layer.name))
        elif layer.kind == "dense":
            last = {"dtype": "float32"} if layer is network.layers[-1] else {}
            found.append(layers.Dense(layer.units, activation=activation, name=layer.name, **last))
        else:
            found.append(layers.Dropout(layer.rate if job.dropout else 0.0, name=layer.name))
    return keras.Sequential(found, name=network.short)
