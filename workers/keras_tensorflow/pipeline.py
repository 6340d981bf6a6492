"""tf.data pipelines over the shared pictures, as fit and predict take them. `scale`: a float32."""
import numpy as np
import tensorflow as tf


def locked_pipeline(pictures, labels, scale, order, batch):
    """Whole batches (images as float32, labels) in the given order of training images."""
    with tf.device("CPU:0"):
        pictures, labels = tf.constant(np.asarray(pictures)), tf.constant(np.asarray(labels))

    def gathered(indices):
        return tf.cast(tf.gather(pictures, indices), tf.float32) * scale, tf.gather(labels, indices)

    return (tf.data.Dataset.from_tensor_slices(order).batch(batch, drop_remainder=True)
            .map(gathered, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE))


def pictures_pipeline(pictures, scale, batch):
    """All pictures in their own order, the last batch shorter."""
    return (tf.data.Dataset.from_tensor_slices(np.asarray(pictures)).batch(batch)
            .map(lambda some: tf.cast(some, tf.float32) * scale, num_parallel_calls=tf.data.AUTOTUNE)
            .prefetch(tf.data.AUTOTUNE))
