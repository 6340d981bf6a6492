"""The agreement check against a worker that departs in every known way, one way an arm (saboteur/sabotages.py):
each is refused, nearly each by its right name, and what is right agrees."""
import json
import random
import unittest

import bench
from test_new_framework import PYTHON, lacks_numpy

CLASSES = 4
MODEL = """id = "telling_net"
short = "telling"

""" + "\n".join("[[layer]]\n" + text for text in (
    'kind = "convolution"\nkernel = [3, 3]\nfilters = 5\nactivation = "relu"\n',
    'kind = "max_pool"\nwindow = 2\n',
    'kind = "convolution"\nkernel = [3, 3]\nfilters = 7\nactivation = "relu"\n',
    'kind = "max_pool"\nwindow = 2\n',
    'kind = "flatten"\n',
    'kind = "dense"\nunits = 11\nactivation = "relu"\n',
    'kind = "dropout"\nrate = 0.5\n',
    'kind = "dense"\nunits = "classes"\nactivation = "softmax"\n'))

# What each sabotage is to be called: the `cause` in the report of a check; "lied": found out by its parameter
# count before anything is computed.
ANY = {
    "flattens_chw": "flatten-order", "declares_chw": "flatten-order",
    "flips_kernels": "flipped-kernel", "declares_flipped": "flipped-kernel",
    "reads_kernels_as_oihw": "kernel-layout", "declares_oihw": "kernel-layout",
    "reads_dense_as_out_in": "transposed-dense", "declares_out_in": "transposed-dense",
    "pool_ceil": "pool-ceil", "pool_ceil_whole": "lied",
    "padding_before": "padding-side", "padding_after": "padding-side",
    "does_not_divide_by_255": "pixel-scale", "divides_by_255_twice": "pixel-scale",
    "counts_labels_from_1": "label-shift", "counts_labels_from_minus_1": "label-shift",
    "takes_one_hot_for_classes": "one-hot-labels",
    "sums_the_loss": "sum-loss", "adds_up_gradients_of_examples": "per-example-loss",
    "softmax_twice": "softmax-twice", "softmax_twice_hidden": "softmax-twice", "shows_probabilities": "softmax-twice",
    "sigmoid_per_class": "per-class-loss",
    "no_bias_in_conv1": "missing-bias", "no_bias_in_conv2": "missing-bias",
    "no_bias_in_dense1": "missing-bias", "no_bias_in_dense2": "missing-bias",
    "drops": "dropout-on", "drops_in_steps_only": "dropout-on",
    "tf32": "tf32", "bfloat16": "bfloat16", "bfloat16_outputs_too": "bfloat16",
    "decays": "weight-decay", "decays_by_no_usual_value": "weight-decay", "decays_in_the_loss": "weight-decay",
    "without_momentum": "no-momentum",
    "keeps_gradients": "gradients-kept", "keeps_gradients_of_the_check": "gradients-kept",
}
COLOUR = {"takes_bgr_for_rgb": "channel-order"}
ADAM = {
    "adam_classic": "adam-epsilon", "adam_epsilon_in_the_root": "adam-epsilon",
    "adam_declared_wrongly": "adam-declared", "adam_without_correction": "no-bias-correction",
    "decays_apart": "weight-decay",
}
MOMENTUM = {
    "momentum_dampened": "dampening", "momentum_dampened_from_the_start": "dampening",
    "momentum_nesterov": "nesterov", "decays_apart": "weight-decay",
}
# Sides, optimizer, sabotages. Both have odd sides before a pool; Adam's declaration says nothing of momentum.
EXAMS = {
    "13x11x1, adam": ("13x11x1", "adam", ("", "adam_classic_declared"), {**ANY, **ADAM}),
    "9x14x3, sgd": ("9x14x3", "sgd", ("", "adam_classic", "adam_declared_wrongly"), {**ANY, **COLOUR, **MOMENTUM}),
}


def table(rows, seed, sides):
    height, width, channels = map(int, sides.split("x"))
    draw = random.Random(seed)
    lines = [",".join(["label"] + ["pixel{}".format(i) for i in range(height * width * channels)])]
    for row in range(rows):
        # A bright part on a dark ground, like a picture; where it lies tells nothing of the class.
        top, left = draw.randrange(height // 2), draw.randrange(width // 2)
        bright = [top <= y < top + height // 2 + 1 and left <= x < left + width // 2 + 1
                  for y in range(height) for x in range(width) for _ in range(channels)]
        lines.append(",".join([str(row % CLASSES)] + [str(draw.randrange(40, 256) if one else 0) for one in bright]))
    return "\n".join(lines) + "\n"


@unittest.skipIf(lacks_numpy(), PYTHON + " has no numpy: install python3-numpy, or set LOCKSTEP_TEST_PYTHON")
class Saboteurs(bench.BenchTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.reports, cls.lines, cls.codes = {}, {}, {}
        cls.model = cls.bench.folder / "telling.toml"
        cls.model.write_text(MODEL)
        for exam, (sides, optimizer, right, wrong) in EXAMS.items():
            data = cls.import_data(sides)
            arms = [word for name in (*right, *wrong) for word in cls.arm(name)]
            out = cls.bench.folder / "out-{}-{}".format(sides, optimizer)
            ended = cls.bench.run("verify", "--data", data, "--models", cls.model, "--batch-size", "16", "--threads", "1",
                                  "--optimizer", optimizer, "--python", PYTHON, "--out", out, *arms)
            cls.codes[exam] = ended.code
            for name in (*right, *wrong):
                label = name or "right"
                found = [line for line in ended.err.splitlines()
                         if line.startswith("gate  telling {}: ".format(label))]
                cls.lines[exam, label] = found[0].partition(": ")[2] if found else str(ended)
                report = out / "telling_{}.json".format(label)
                cls.reports[exam, label] = json.loads(report.read_text()) if report.exists() else None

    @classmethod
    def import_data(cls, sides):
        folder = cls.bench.folder / sides
        folder.mkdir()
        (folder / "train.csv").write_text(table(160, 1, sides))
        (folder / "test.csv").write_text(table(32, 2, sides))
        ended = cls.bench.run("data", "import", folder / "train.csv", "--test", folder / "test.csv", "--shape", sides,
                              "--out", folder / "data")
        if ended.code:
            raise AssertionError(ended)
        return folder / "data"

    @staticmethod
    def arm(sabotage):
        words = "framework=saboteur,name={}".format(sabotage or "right")
        return ["--arm", words + (",env.SABOTAGE=" + sabotage if sabotage else "")]

    def called(self, exam, sabotage):
        """The cause that the check named; "agrees", "lied" or "nothing" where it named none."""
        line, report = self.lines[exam, sabotage], self.reports[exam, sabotage]
        if line.startswith("agrees"):
            return "agrees"
        if report is None:
            return "lied" if "parameters; the model file gives" in line else line
        return report["cause"] or "nothing"

    def test_every_saboteur_is_refused_and_nine_in_ten_are_named(self):
        rows = [(exam, sabotage, cause, self.called(exam, sabotage))
                for exam, (_, _, _, wrong) in EXAMS.items() for sabotage, cause in wrong.items()]
        for exam, sabotage, cause, called in rows:
            self.log("  {:14}  {:34}{}".format(exam, sabotage, called if called == cause else
                                               "{}, not {}".format(called, cause)))
        named = sum(called == cause for _, _, cause, called in rows)
        self.log("  {} saboteurs, {} refused, {} by their right name".format(
            len(rows), sum(called != "agrees" for *_, called in rows), named))
        for exam, sabotage, _, called in rows:
            with self.subTest(exam=exam, sabotage=sabotage):
                self.assertNotEqual(called, "agrees")
                self.assertRegex(self.lines[exam, sabotage], "^(departs|failed). ")
        self.assertGreaterEqual(named, 0.9 * len(rows))
        self.assertEqual(set(self.codes.values()), {1})

    def test_what_is_right_agrees(self):
        for exam, (_, _, right, _) in EXAMS.items():
            for name in right:
                with self.subTest(exam=exam, name=name):
                    self.assertRegex(self.lines[exam, name or "right"], "^agrees, ")

    def test_an_own_form_of_adam_is_followed_and_said(self):
        exam = "13x11x1, adam"
        own = "Adam in the framework's own form, epsilon outside of the root's bias correction."
        self.assertIn(own, self.lines[exam, "adam_classic_declared"])
        self.assertEqual(self.reports[exam, "adam_classic_declared"]["adam"], "classic")
        self.assertIn(own, self.lines[exam, "adam_declared_wrongly"])
        self.assertNotIn(own, self.lines[exam, "right"])
        self.assertEqual(self.reports[exam, "right"]["adam"], "epsilon_hat")
        self.assertNotIn(own, self.lines["9x14x3, sgd", "adam_declared_wrongly"])

    def test_a_run_ranks_an_own_form_of_adam_and_says_so(self):
        ended = self.bench.run_campaign(*self.arm("")[:2], *self.arm("adam_classic_declared"), "--python", PYTHON,
                                        "--blocks", "1")
        self.assertRegex(ended.err, r"gate  tiny adam_classic_declared: agrees, .*\. Adam in the framework's own form")
        (table,) = json.loads((self.bench.folder / "results" / "summary.json").read_text())
        (row,) = [row for row in table["arms"] if row["arm"] == "adam_classic_declared"]
        self.assertNotEqual(row["verdict"], "unranked")
        self.assertIn("Adam in the framework's own form", row["note"])

    @staticmethod
    def log(line):
        print(line, flush=True)


if __name__ == "__main__":
    unittest.main()
