"""The network as a stack of Lasagne layers."""
import lasagne
import theano.tensor as T
from lasagne.layers import (Conv2DLayer, DenseLayer, DropoutLayer, FlattenLayer, InputLayer, MaxPool2DLayer,
                            NonlinearityLayer)
from lasagne.nonlinearities import rectify, softmax


class HalfConv2DLayer(Conv2DLayer):
    """Same padding by the convolution itself; Lasagne 0.1 takes the full one and cuts its border off. The
    kernel is turned as there."""

    def get_output_for(self, input, **kwargs):
        conved = T.nnet.conv2d(input, self.W, input_shape=self.input_shape, filter_shape=self.get_W_shape(),
                               border_mode="half")
        return self.nonlinearity(conved + self.b.dimshuffle("x", 0, "x", "x"))


def stacked(network, job, input):
    """(the layer of the logits, the last layer, which gives probabilities) over the symbolic `input`."""
    height, width, channels = network.input
    top = InputLayer((None, channels, height, width), input)
    for layer in network.layers:
        rectified = rectify if layer.activation == "relu" else None
        if layer.kind == "convolution":
            half = layer.padding == "same" and job.options.get("convolution", "stock") == "half"
            top = (HalfConv2DLayer if half else Conv2DLayer)(
                top, layer.filters, layer.kernel, pad=layer.padding, nonlinearity=rectified, name=layer.name)
        elif layer.kind == "max_pool":
            top = MaxPool2DLayer(top, layer.window, name=layer.name)
        elif layer.kind == "flatten":
            top = FlattenLayer(top, name=layer.name)
        elif layer.kind == "dense":
            top = DenseLayer(top, layer.units, nonlinearity=rectified, name=layer.name)
        else:
            top = DropoutLayer(top, layer.rate if job.dropout else 0, name=layer.name)
    return top, NonlinearityLayer(top, softmax)


def parameters(top):
    """Kernel before bias, layers in order."""
    return lasagne.layers.get_all_params(top, trainable=True)
