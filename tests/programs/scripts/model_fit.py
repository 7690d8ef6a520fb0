"""`Model`: train, fit, eval and predict, with callbacks of all kinds; `--graph` in GRAPH_MODE."""

import argparse
import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
)

parser = argparse.ArgumentParser()
parser.add_argument("--graph", action="store_true")
if parser.parse_args().graph:
    ms.set_context(mode=ms.GRAPH_MODE)

rng = np.random.RandomState(0)
x = rng.randn(32, 3).astype(np.float32)
y = (x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.1).astype(np.float32)
classes = (y[:, 0] > 0).astype(np.int32)


def rows(labels, batch=8, size=32):
    return ds.NumpySlicesDataset((x[:size], labels[:size]), ["x", "y"], shuffle=False).batch(batch)


def network(outputs=1):
    weight = ms.Tensor(np.linspace(-0.5, 0.5, 3 * outputs).reshape(outputs, 3).astype(np.float32))
    return nn.Dense(3, outputs, weight, "zeros")


def regression(rate=0.05, metrics=None):
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    return Model(net, nn.MSELoss(), optimizer, metrics=metrics)


class Events(Callback):
    def __init__(self):
        self.seen = []

    def on_train_begin(self, run_context):
        run = run_context.original_args()
        print("begin", run.epoch_num, run.batch_num, run.mode, type(run.network).__name__)

    def on_train_epoch_begin(self, run_context):
        print("epoch begin", run_context.original_args().cur_epoch_num)

    def on_train_step_end(self, run_context):
        run = run_context.original_args()
        self.seen.append((run.cur_epoch_num, run.cur_step_num, len(run.train_dataset_element)))

    def on_train_epoch_end(self, run_context):
        run = run_context.original_args()
        print("epoch end", run.cur_step_num, sorted(run.get("eval_results", {})))

    def on_eval_begin(self, run_context):
        print("eval begin", run_context.original_args().mode)

    def on_eval_step_end(self, run_context):
        print("eval step", run_context.original_args().cur_step_num)

    def on_eval_end(self, run_context):
        print("eval end", sorted(run_context.original_args().metrics))

    def on_train_end(self, run_context):
        print("end", self.seen)


print("# train")
model = regression()
model.train(2, rows(y), callbacks=[LossMonitor(2), Events()], dataset_sink_mode=False)
print(model.predict(ms.Tensor(x[:2])))

print("# fit")
history = History()
model = regression(metrics={"mse": nn.MSE(), "mae": nn.MAE()})
model.fit(4, rows(y), rows(y, 32), valid_frequency=2, callbacks=[LossMonitor(4), Events(), history])
print(sorted(history.history), history.epoch)
print([round(float(v), 4) for v in history.history["net_output"]])
print({k: round(float(v), 4) for k, v in sorted(model.eval(rows(y)).items())})

print("# a classifier")
net = network(2)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Adam(net.trainable_params(), 0.1),
              metrics={"acc": nn.Accuracy(), "loss": nn.Loss()})  # fmt: skip
model.fit(3, rows(classes), rows(classes), valid_frequency=[1, 3], callbacks=LossMonitor(4))
print(model.eval(rows(classes))["acc"])

print("# stopped early")
model = regression(0.3, metrics={"mae"})
model.fit(20, rows(y), rows(y, 32), callbacks=[
    EarlyStopping("eval_loss", patience=2, verbose=True, restore_best_weights=True),
    LambdaCallback(on_train_epoch_begin=lambda run: print(run.original_args().cur_epoch_num)),
])  # fmt: skip
print(model.predict(ms.Tensor(x[:2])))

print("# a smaller rate")
model = regression(0.4, metrics={"mae"})
model.fit(6, rows(y), rows(y, 32), callbacks=[
    ReduceLROnPlateau("eval_loss", factor=0.5, patience=1, verbose=True), LossMonitor(4)
])  # fmt: skip

print("# rates of one's own")
model = regression(0.1)
model.train(2, rows(y), callbacks=[
    LearningRateScheduler(lambda rate, step: rate / 2 if step % 3 == 0 else rate), LossMonitor()
])  # fmt: skip

print("# checkpoints")
with tempfile.TemporaryDirectory() as folder:
    config = CheckpointConfig(
        save_checkpoint_steps=3, keep_checkpoint_max=2, append_info=["epoch_num", "step_num"]
    )
    keeper = ModelCheckpoint("net", folder, config)
    model = regression()
    model.train(2, rows(y), callbacks=[keeper])
    print(sorted(n for n in os.listdir(folder) if n.endswith(".ckpt")))
    print(os.path.basename(keeper.latest_ckpt_file_name))
    kept = ms.load_checkpoint(keeper.latest_ckpt_file_name)
    print({name: p.shape for name, p in kept.items()})
    print(int(kept["epoch_num"].asnumpy()), int(kept["step_num"].asnumpy()))
    again = ModelCheckpoint("net", folder, config)
    model.train(1, rows(y), callbacks=again)
    print(sorted(n for n in os.listdir(folder) if n.endswith(".ckpt")))

print("# stopped by a callback")


class Stop(Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 2:
            run_context.request_stop()


regression().train(5, rows(y), callbacks=[Stop(), LossMonitor()])

print("# networks of one's own")


class Both(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, data, label):
        out = self.net(data)
        return ((out - label) ** 2).mean(), out, label


class WithLoss(Both):
    def construct(self, data, label):
        return super().construct(data, label)[0]


net = network()
model = Model(
    WithLoss(net), optimizer=nn.SGD(net.trainable_params(), 0.1), eval_network=Both(net),
    eval_indexes=[0, 1, 2], metrics={"mae", "loss"},
)  # fmt: skip
model.train(2, rows(y), callbacks=LossMonitor(4))
print({k: round(float(v), 4) for k, v in sorted(model.eval(rows(y)).items())})
