"""Files that are not what they should be: told with line, column and name, and nothing is left behind."""
import gzip
import unittest

import toy_data
from refusal_test import RefusalTest

ANY = ".+"
HEADER = "label," + ",".join("pixel{}".format(i) for i in range(4))
SOUND = HEADER + "\n0,1,2,3,4\n1,5,6,7,8\n"


class BrokenTables(RefusalTest):
    def refuse_table(self, content, what, remedy=ANY, name="t.csv", more=()):
        path = self.bench.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.refuse(["data", "import", name, "--out", "results", *more], what, remedy)

    def test_a_value_outside_of_0_to_255_is_told_with_line_column_and_name(self):
        for value in ("300", "-1", "0.5", "1e2", "4294967297", "nan", "", "x"):
            found = "the value is empty; it must be" if value == "" else '"{}" is not'.format(value)
            self.refuse_table(SOUND + "1,2,{},4,5\n".format(value),
                              r"t.csv, line 4, column 3 \(pixel1\): " + found + " a whole number from 0 to 255.")

    def test_a_short_and_a_long_row_are_told_with_their_counts(self):
        self.refuse_table(SOUND + "1,2,3,4\n0,1,2,3,4\n", "t.csv, line 4: there are 4 values where 5 are expected.")
        self.refuse_table(SOUND + "1,2,3,4,5,6\n", "t.csv, line 4: there are 6 values where 5 are expected.")

    def test_a_lost_line_end_and_a_file_that_was_cut_off_are_told_as_such(self):
        self.refuse_table(SOUND + "1,2,3,4,50,1,2,3,4\n", ".*line 4: .*9 values.*a line end seems to be lost.")
        self.refuse_table(SOUND + "1,2,3", ".*line 4: .*3 values.*seems to be cut off.")

    def test_a_header_in_the_middle_is_told(self):
        self.refuse_table(SOUND + SOUND, "t.csv, line 4: the header stands here again.")

    def test_a_tail_of_zero_bytes_is_told(self):
        self.refuse_table(SOUND.encode() + b"\0" * 50, "t.csv, line 4, column 1 .*: there is a zero byte.*")

    def test_a_quote_that_is_not_closed_is_told(self):
        self.refuse_table(SOUND + '"1,2,3,4,5\n0,1,2,3,4\n', "t.csv, line 4, column 1 .*: the quote .* is not closed .*")

    def test_doubled_and_missing_pixel_names_are_told(self):
        self.refuse_table("label,pixel0,pixel1,pixel1,pixel3\n0,1,2,3,4\n", ".*pixel1.*")
        self.refuse_table("label,pixel0,pixel1,pixel2,pixel4\n0,1,2,3,4\n", ".*pixel.*")

    def test_a_column_that_nobody_explained_is_told(self):
        self.refuse_table("id,label,pixel0,pixel1,pixel2,pixel3\n7,0,1,2,3,4\n", ".*id.*", ".*--ignore.*")

    def test_something_else_under_the_name_of_a_table_is_told_by_its_kind(self):
        for content, kind in ((SOUND.encode("utf-16"), "UTF-16"), (b"PK\x03\x04" + b"\0" * 60, ".*"),
                              (b"<!DOCTYPE html><html><body>404</body></html>", "a web page"),
                              (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", ".*")):
            self.refuse_table(content, "t.csv is .*" + kind + ".*")
        self.refuse_table(b"", "t.csv is empty.")
        self.refuse_table(HEADER + "\n", "t.csv has a header, but no image.")

    def test_a_packed_file_that_was_cut_off_is_told(self):
        packed = gzip.compress(toy_data.table(200, 1).encode())
        self.refuse_table(packed[: len(packed) // 2], "t.csv.gz is gzip data that ends in the middle.", name="t.csv.gz")
        spoiled = bytearray(packed)
        spoiled[len(packed) // 2] ^= 0xff
        self.refuse_table(bytes(spoiled), "t.csv.gz.*", name="t.csv.gz")


if __name__ == "__main__":
    unittest.main()
