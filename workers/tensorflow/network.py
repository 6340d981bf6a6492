"""The network as TensorFlow variables and operations."""
import tensorflow as tf


class Network:
    """`variables`: one float32 variable a parameter, by canonical name, zeros at first.

    `compute`: the type in which layers calculate; logits are always float32.
    """

    def __init__(self, network, job):
        self.layers = network.layers
        self.compute = tf.as_dtype(job.precision)
        self.dropout = job.dropout
        self.seed = job.seed
        self.variables = {name: tf.Variable(tf.zeros(shape), name=name.replace(".", "_"))
                          for name, shape in network.shapes()}

    def logits(self, images, training):
        values = tf.cast(images, self.compute)
        for place, layer in enumerate(self.layers):
            values = self._applied(layer, place, values, training)
        return tf.cast(values, tf.float32)

    def loss(self, logits, labels):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))

    def _applied(self, layer, place, values, training):
        if layer.kind == "convolution":
            values = tf.nn.conv2d(values, self._parameter(layer, "kernel"), strides=1,
                                  padding=layer.padding.upper())
        elif layer.kind == "dense":
            values = tf.matmul(values, self._parameter(layer, "kernel"))
        elif layer.kind == "max_pool":
            return tf.nn.max_pool2d(values, ksize=layer.window, strides=layer.window, padding="VALID")
        elif layer.kind == "flatten":
            return tf.reshape(values, [-1, layer.output[0]])
        elif training and self.dropout:
            return tf.nn.dropout(values, rate=layer.rate, seed=self.seed + place)
        else:
            return values
        values = tf.nn.bias_add(values, self._parameter(layer, "bias"))
        return tf.nn.relu(values) if layer.activation == "relu" else values

    def _parameter(self, layer, part):
        return tf.cast(self.variables["{}.{}".format(layer.name, part)], self.compute)
