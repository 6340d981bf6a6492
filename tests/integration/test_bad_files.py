"""Experiment files, model files and manifests that are broken: told with file and line, exit code 2."""
import unittest

from refusal_test import RefusalTest

ANY = ".+"
EXPERIMENT = """name = "small"
data = "data"
models = ["tiny.toml"]
batch_size = 8
threads = 1
blocks = 1
verify = false

[[arm]]
framework = "fake"
"""


class BrokenExperimentFiles(RefusalTest):
    def refuse_file(self, text, what, remedy):
        self.file("e.toml", text)
        self.refuse(["run", "e.toml", "--out", "results"], what, remedy)

    def test_a_file_that_is_not_there_is_told(self):
        self.refuse(["run", "nowhere.toml"], "nowhere.toml cannot be read.", ANY)
        self.refuse(["run", "data"], "data .*", ANY)

    def test_a_file_that_is_no_toml_is_told_with_its_line(self):
        self.refuse_file(EXPERIMENT + "threads = \n", "e.toml, line 11: this is not TOML: .+",
                         "Correct that line.")
        self.refuse_file("\x00\x01", "e.toml, line 1: this is not TOML: .+", "Correct that line.")

    def test_an_unknown_key_names_the_nearest(self):
        self.refuse_file('frameworkz = ["fake"]\n' + EXPERIMENT,
                         'e.toml, line 1: "frameworkz" is not a known key.', r'Did you mean "frameworks"\?')
        self.refuse_file(EXPERIMENT + "thraeds = 1\n", 'e.toml, line 11: "thraeds" is not a known key.',
                         r'Did you mean "threads"\?')

    def test_a_value_of_another_type_or_out_of_bounds_is_told(self):
        for line in ('epochs = "two"', "epochs = 0", "epochs = 1.5", "seed = -1", "settle_ms = -1"):
            key = line.split()[0]
            self.refuse_file(line + "\n" + EXPERIMENT, 'e.toml, line 1: "{}" is not .+'.format(key),
                             "Give {} .+".format(key))

    def test_an_unknown_value_names_the_nearest(self):
        self.refuse_file('precision = "flot32"\n' + EXPERIMENT, '.*"flot32" is not a value of precision.',
                         r'Did you mean "float32"\?.*')
        self.refuse_file(EXPERIMENT.replace('"fake"', '"fak"'), '.*There is no framework "fak".',
                         r"Did you mean fake\?")

    def test_threads_in_a_file_have_the_same_bounds(self):
        for count, what in (("0", "0 threads cannot train anything."), ("9999", "9999 threads were asked for.*")):
            self.refuse_file(EXPERIMENT.replace("threads = 1", "threads = " + count), what, ANY)


class BrokenModelFiles(RefusalTest):
    def refuse_model(self, text, what, remedy):
        self.file("m.toml", text)
        self.refuse_run(["--models", "m.toml"], what, remedy)

    def test_a_file_that_is_not_there_or_no_toml_is_told(self):
        self.refuse_run(["--models", "nowhere.toml"], "nowhere.toml cannot be read.", ANY)
        self.refuse_model("id = \n", "m.toml, line 1: this is not TOML: .+", ANY)

    def test_an_unknown_kind_of_layer_names_the_nearest(self):
        self.refuse_model('id = "m"\n[[layer]]\nkind = "densse"\n',
                          'm.toml, line 3: "densse" is not a value of kind.', r'Did you mean "dense"\?.*')

    def test_layers_that_do_not_fit_together_are_told_by_name(self):
        self.refuse_model('id = "m"\n[[layer]]\nkind = "dense"\nunits = "classes"\n',
                          "m, layer dense1: a dense layer needs a vector.", "Put a flatten layer before it.")

    def test_a_network_that_pools_its_image_away_is_told(self):
        pools = '[[layer]]\nkind = "max_pool"\nwindow = 2\n' * 4
        self.refuse_model('id = "m"\n' + pools, "m, layer pool4: nothing is left of an image of 1x1.", ANY)


class BrokenManifests(RefusalTest):
    """A broken worker.toml ends every command that looks for workers."""

    def refuse_manifest(self, text, what, remedy):
        self.file("workers/mine/worker.toml", text)
        with self.subTest(text):
            ended = self.bench.run("frameworks", LOCKSTEP_WORKERS=str(self.bench.folder / "workers"))
            self.assertEqual((ended.code, ended.out), (2, ""), ended)
            self.assertRegex(ended.err, r"\Alockstep: " + what + r"\n" + remedy + r"\n\Z")

    def test_a_manifest_that_is_no_toml_is_told_with_its_line(self):
        self.refuse_manifest('name = "mine\n', r".*/mine/worker\.toml, line 1: this is not TOML: .+", ANY)

    def test_a_missing_key_is_named(self):
        self.refuse_manifest('name = "mine"\n', r'.*/worker\.toml, line 1: "command" is missing\.', ANY)

    def test_an_unknown_key_value_or_placeholder_names_the_nearest(self):
        sound = 'name = "mine"\ncommand = ["{python}"]\n'
        self.refuse_manifest(sound + 'titel = "x"\n', r'.*/worker\.toml, line 3: "titel" is not a known key\.',
                             r'Did you mean "title"\?')
        self.refuse_manifest(sound + 'can = { devices = ["cpus"] }\n',
                             r'.*/worker\.toml, line 3: "cpus" is not a value of devices\.',
                             r'Did you mean "cpu"\?.*')
        self.refuse_manifest(sound.replace("python", "pyton"),
                             r".*/worker\.toml, line 2: There is no placeholder \{pyton\}\.",
                             r"Did you mean \{python\}\?")

    def test_two_workers_of_one_name_are_told_with_their_folders(self):
        self.refuse_manifest('name = "null"\ncommand = ["{python}"]\n',
                             "Two workers are named null: .+ and .+", ANY)

    def test_a_run_is_refused_as_well(self):
        self.file("workers/mine/worker.toml", "name = 3\ncommand = []\n")
        ended = self.bench.run(*self.bench.campaign("-f", "null"),
                               LOCKSTEP_WORKERS=str(self.bench.folder / "workers"))
        self.assertEqual(ended.code, 2, ended)
        self.assertRegex(ended.err, r'worker\.toml, line 1: "name" is not a string\.')

    def test_a_folder_of_workers_that_is_not_there_is_told(self):
        ended = self.bench.run("frameworks", LOCKSTEP_WORKERS="/nowhere")
        self.assertEqual(ended.code, 2, ended)
        self.assertRegex(ended.err, r"\Alockstep: /nowhere cannot be searched for workers: .+\n.*LOCKSTEP_WORKERS")


if __name__ == "__main__":
    unittest.main()
