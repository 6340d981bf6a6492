"""What each refusal of bad input has to fulfil."""
import shutil

import bench


class RefusalTest(bench.BenchTest):
    def refuse(self, words, what, remedy):
        """Exit code 2, one line what (a pattern) and one line what to do, nothing on standard output, and no
        results folder."""
        with self.subTest(" ".join(map(str, words)).replace(str(self.bench.folder), "")):
            shutil.rmtree(self.bench.folder / "results", ignore_errors=True)
            ended = self.bench.run(*words)
            self.assertEqual(ended.code, 2, ended)
            self.assertEqual(ended.out, "")
            self.assertRegex(ended.err, r"\Alockstep: " + what + r"\n" + remedy + r"\n\Z")
            self.assertFalse((self.bench.folder / "results").exists(), "a results folder was made")

    def refuse_run(self, words, what, remedy):
        """Of a campaign that is sound without `words`."""
        given = self.bench.campaign("--no-verify", "--blocks", "1")
        for option in ("--data", "--models", "--batch-size", "--threads", "--settle-ms", "--blocks", "--out"):
            if option in words:
                place = given.index(option)
                del given[place: place + 2]
        if not {"-f", "--arm"} & set(words):
            given += ["-f", "fake"]
        self.refuse([*given, *words], what, remedy)

    def file(self, name, text):
        path = self.bench.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path
