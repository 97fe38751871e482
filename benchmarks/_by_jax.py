"""DP-SGD in JAX, to compare with; it needs JAX alone: python _by_jax.py TASK.npz MODELS.

TASK.npz has the records and the settings of `benchmarks.training_speed`. A training is one compiled
function: Poisson batches that are filled up to one size, norms of gradients by `vmap`, and then the
gradient of the weighted losses, which is five times as fast as a sum of clipped gradients. It
prints, as JSON, the accuracies of the models and the CPU seconds, without those of the compilation.
"""

import itertools
import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

task = dict(np.load(sys.argv[1]))
sizes = task["sizes"].tolist()
rate, noise, clip, expected, learning = (
    float(task[name])
    for name in ("sample_rate", "noise_multiplier", "clip", "expected_batch", "learning_rate")
)
steps, records = int(task["steps"]), len(task["y"])

#: A batch has more with a probability of about 1e-9.
MOST = int(expected + 6 * expected**0.5)

x = jnp.concatenate([task["x"], np.zeros((1, sizes[0]), np.float32)])
y = jnp.concatenate([task["y"], np.zeros(1, int)])


def initial(key):
    layers = []
    for a, b in itertools.pairwise(sizes):
        key, own = jax.random.split(key)
        layers.append((jax.random.normal(own, (a, b)) * (2 / a) ** 0.5, jnp.zeros(b)))
    return layers


def logits(layers, x):
    for weights, biases in layers[:-1]:
        x = jax.nn.relu(x @ weights + biases)
    return x @ layers[-1][0] + layers[-1][1]


def loss(layers, x, y):
    return -jax.nn.log_softmax(logits(layers, x))[y]


def norm(layers, x, y):
    found = jax.grad(loss)(layers, x, y)
    return jnp.sqrt(sum(jnp.sum(part**2) for part in jax.tree.leaves(found)))


def weighted(layers, x, y, weights):
    return weights @ jax.vmap(loss, (None, 0, 0))(layers, x, y)


def step(state, key):
    layers, mean, square, count = state
    sampling, noisy = jax.random.split(key)
    drawn = jax.random.uniform(sampling, (records,)) < rate
    (rows,) = jnp.nonzero(drawn, size=MOST, fill_value=records)
    norms = jax.vmap(norm, (None, 0, 0))(layers, x[rows], y[rows])
    weights = jnp.where(rows < records, jnp.minimum(1, clip / norms), 0)
    total = jax.grad(weighted)(layers, x[rows], y[rows], weights)
    leaves, shape = jax.tree.flatten(total)
    keys = jax.random.split(noisy, len(leaves))
    released = jax.tree.unflatten(
        shape,
        [
            (part + noise * clip * jax.random.normal(own, part.shape)) / expected
            for part, own in zip(leaves, keys, strict=True)
        ],
    )
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, released)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, released)
    layers = jax.tree.map(
        lambda p, m, s: (
            p - learning * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.999**count)) + 1e-8)
        ),
        layers,
        mean,
        square,
    )
    return (layers, mean, square, count), None


@jax.jit
def train(key):
    begin, run = jax.random.split(key)
    layers = initial(begin)
    zeros = jax.tree.map(jnp.zeros_like, layers)
    state, _ = jax.lax.scan(step, (layers, zeros, zeros, 0.0), jax.random.split(run, steps))
    return state[0]


models = int(sys.argv[2])
jax.block_until_ready(train(jax.random.key(models)))
began = time.process_time()
trained = [jax.block_until_ready(train(jax.random.key(seed))) for seed in range(models)]
cpu = time.process_time() - began
accuracies = [
    float((logits(layers, task["x_test"]).argmax(axis=1) == task["y_test"]).mean())
    for layers in trained
]
print(json.dumps({"cpu": cpu, "accuracies": accuracies}))
