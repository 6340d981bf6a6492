"""The two update rules, by TensorFlow's own fused kernels."""
import tensorflow as tf


class Adam:
    """ResourceApplyAdam is the epsilon-hat form: var -= lr*sqrt(1-b2^t)/(1-b1^t) * m/(sqrt(v)+eps)."""

    def __init__(self, rule, variables):
        self.rule = rule
        self.variables = variables
        self.first = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.second = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.power1 = tf.Variable(tf.constant(rule.beta1, tf.float32))
        self.power2 = tf.Variable(tf.constant(rule.beta2, tf.float32))

    def restart(self):
        for moment in self.first + self.second:
            moment.assign(tf.zeros_like(moment))
        self.power1.assign(self.rule.beta1)
        self.power2.assign(self.rule.beta2)

    def apply(self, gradients):
        rule = self.rule
        for variable, m, v, gradient in zip(self.variables, self.first, self.second, gradients):
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle, m=m.handle, v=v.handle, beta1_power=self.power1, beta2_power=self.power2,
                lr=rule.learning_rate, beta1=rule.beta1, beta2=rule.beta2, epsilon=rule.epsilon,
                grad=gradient)
        self.power1.assign(self.power1 * rule.beta1)
        self.power2.assign(self.power2 * rule.beta2)


class Momentum:
    """ResourceApplyMomentum: accum = momentum*accum + g; var -= lr*accum."""

    def __init__(self, rule, variables):
        self.rule = rule
        self.variables = variables
        self.velocity = [tf.Variable(tf.zeros_like(variable)) for variable in variables]

    def restart(self):
        for velocity in self.velocity:
            velocity.assign(tf.zeros_like(velocity))

    def apply(self, gradients):
        for variable, velocity, gradient in zip(self.variables, self.velocity, gradients):
            tf.raw_ops.ResourceApplyMomentum(
                var=variable.handle, accum=velocity.handle, lr=self.rule.learning_rate, grad=gradient,
                momentum=self.rule.momentum)


OPTIMIZERS = {"adam": Adam, "sgd": Momentum}
