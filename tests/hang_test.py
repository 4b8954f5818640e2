"""`rankscope hang` on Flight Recorder dumps of jobs whose hang is known (reference/write_flight.py): what hangs, who is late, where in the
program; in pickles and in JSON; with ranks without a dump, overwritten calls, and files that are damaged or something else."""

import collections
import json
import os
import pickle
import tempfile
import unittest

import program
from write_flight import COMPLETED, SCHEDULED, STARTED, Recorder, job

FORMS = {
    "pickle": (Recorder.write_pickle, "nccl_trace_rank_{}"),
    "JSON": (Recorder.write_json, "rank{}.json"),
    "packed JSON": (Recorder.write_json, "rank_{}.json.gz"),
    "JSON with stacks": (Recorder.write_json_with_stacks, "dump_{}.json"),
}


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def pending_by_hand(recorders):
    """Calls of a group and number that some rank made and has not ended, and who made them: nothing but the entries themselves."""
    members = collections.defaultdict(dict)
    for recorder in recorders:
        for entry in recorder.entries:
            if not entry["is_p2p"]:
                members[entry["process_group"][0], entry["collective_seq_id"]][recorder.rank] = entry["state"]
    return {call: set(of) for call, of in members.items() if any(state != COMPLETED for state in of.values())}


class Hang(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)
        self.count = 0

    def folder(self):
        self.count += 1
        path = os.path.join(self.temporary.name, str(self.count))
        os.makedirs(path)
        return path

    def write(self, recorders, form="pickle"):
        folder = self.folder()
        write, name = FORMS[form]
        for recorder in recorders:
            write(recorder, os.path.join(folder, name.format(recorder.rank)))
        return folder

    def hang(self, recorders, form="pickle"):
        """The report as JSON, with each table as a list of dicts, after what is pending agrees with what the dumps hold."""
        folder = self.write(recorders, form)
        out, error = program.run("hang", folder, "--format", "json")
        self.assertEqual(error, "")
        report = json.loads(out)
        for name, table in report["tables"].items():
            setattr(self, name, rows_of(table))
        entered = collections.defaultdict(set)
        for row in self.flight_members:
            if row["record_id"] is not None:
                entered[row["id"]].add(row["rank"])
        ours = {
            (row["group"], row["sequence"]): entered[row["id"]]
            for row in self.flight_collectives
            if row["kind"] == "collective"
        }
        self.assertEqual(ours, pending_by_hand(recorders))
        text, _ = program.run("hang", folder)
        self.assertEqual(" ".join(text.split()).find(report["headline"]), 0, "the text begins with the headline")
        return report

    def roots(self):
        return [row for row in self.flight_collectives if row["is_root"]]

    def test_a_rank_does_not_come(self):
        for form in FORMS:
            with self.subTest(form):
                recorders = job(8)
                for recorder in recorders:
                    if recorder.rank != 3:
                        recorder.collective("0", "all_reduce", SCHEDULED, line=("train.py", 90, "step"))
                report = self.hang(recorders, form)
                self.assertEqual(report["verdict"], "missing")
                (call,) = self.flight_collectives
                self.assertEqual(
                    (call["op"], call["group"], call["group_description"], call["sequence"]),
                    ("all_reduce", "0", "default_pg", 7),
                )
                self.assertEqual(
                    (call["ranks"], call["entered"], call["missing"], call["completed"], call["no_dump"]),
                    (8, 7, 1, 0, 0),
                )
                self.assertIsNone(call["started"], "scheduled alone says nothing of devices")
                self.assertEqual([row["rank"] for row in self.flight_members if row["state"] == "missing"], [3])
                late = self.flight_ranks[3]
                self.assertEqual(
                    (late["last_op"], late["last_sequence"], late["last_state"], late["stands_in"]),
                    ("all_reduce", 6, "completed", None),
                )
                has_stacks = form != "JSON" and form != "packed JSON"
                self.assertEqual(late["last_line"], "/home/user/train.py:88 in step" if has_stacks else None)
                self.assertEqual(call["line"], "/home/user/train.py:90 in step" if has_stacks else None)
                self.assertEqual(
                    report["headline"].startswith("Rank 3 has not called all_reduce 7"), True, report["headline"]
                )
                self.assertEqual(len(self.flight_notes), 0 if has_stacks else 1)

    def test_a_rank_calls_something_else(self):
        recorders = job(4)
        for recorder in recorders:
            if recorder.rank == 2:
                recorder.collective("0", "broadcast", STARTED, line=("eval.py", 7, "evaluate"))
            else:
                recorder.collective("0", "all_reduce", STARTED)
        report = self.hang(recorders)
        self.assertEqual(report["verdict"], "mismatch")
        (row,) = self.flight_mismatches
        self.assertEqual(
            (row["rank"], row["what"], row["found"], row["expected"], row["agreeing"]),
            (2, "op", "broadcast", "all_reduce", 3),
        )
        self.assertEqual(
            (row["line"], row["expected_line"]), ("/home/user/eval.py:7 in evaluate", "/home/user/train.py:10 in step")
        )
        self.assertIn("rank 2 calls broadcast (/home/user/eval.py:7 in evaluate)", report["headline"])

    def test_another_order(self):
        recorders = job(4)
        for recorder in recorders:
            ops = ["all_reduce", "_all_gather_base"]
            for op in reversed(ops) if recorder.rank == 1 else ops:
                recorder.collective("0", op, SCHEDULED)
        report = self.hang(recorders)
        self.assertEqual(report["verdict"], "mismatch")
        (row,) = self.flight_mismatches
        self.assertEqual((row["rank"], row["what"], row["sequence"], row["later"]), (1, "order", 7, 1))

    def test_sizes_and_types_differ(self):
        for what, of in (("input_sizes", {"sizes": ((2048,),)}), ("dtypes", {"dtype": "BFloat16"})):
            with self.subTest(what):
                recorders = job(4)
                for recorder in recorders:
                    recorder.collective("0", "all_reduce", SCHEDULED, **(of if recorder.rank == 0 else {}))
                self.assertEqual(self.hang(recorders)["verdict"], "mismatch")
                (row,) = self.flight_mismatches
                self.assertEqual((row["rank"], row["what"]), (0, what))
                self.assertEqual(
                    (row["found"], row["expected"]),
                    {"input_sizes": ("[[2048]]", "[[1024]]"), "dtypes": ("[BFloat16]", "[Float]")}[what],
                )

    def test_of_two_nobody_knows_who_errs(self):
        recorders = job(2)
        for recorder in recorders:
            recorder.collective("0", "all_reduce", SCHEDULED, sizes=((8 + recorder.rank,),))
        self.hang(recorders)
        self.assertEqual([row["is_tie"] for row in self.flight_mismatches], [True])

    def test_sizes_of_all_to_all_may_differ_but_not_their_sums(self):
        for received, verdict in ((((1,), (3,)), "all_entered"), (((1,), (4,)), "mismatch")):
            recorders = job(2)
            for recorder in recorders:
                recorder.collective("0", "all_to_all", SCHEDULED, sizes=((2,),), out=(received[recorder.rank],))
            self.assertEqual(self.hang(recorders)["verdict"], verdict)

    def test_who_waits_for_whom_over_groups(self):
        """Ranks 0 and 1 are tensor group a, 2 and 3 b; rank 1 is late in a, so that rank 0 does not come to the whole job's collective."""
        groups = {"0": ("default_pg", [0, 1, 2, 3]), "a": ("tp", [0, 1]), "b": ("tp", [2, 3])}
        recorders = [Recorder(rank, groups) for rank in range(4)]
        for recorder in recorders:
            tensor = "a" if recorder.rank < 2 else "b"
            for _ in range(3):
                recorder.collective(tensor, "all_reduce")
            if recorder.rank == 0:
                recorder.collective(tensor, "all_reduce", SCHEDULED, line=("layer.py", 5, "forward"))
            if recorder.rank >= 2:
                recorder.collective(tensor, "all_reduce")
                recorder.collective("0", "all_reduce", SCHEDULED, line=("ddp.py", 6, "hook"))
        report = self.hang(recorders)
        (root,) = self.roots()
        self.assertEqual((root["verdict"], root["group"], root["sequence"], root["held_up"]), ("missing", "a", 4, 1))
        other = self.flight_collectives[1]
        self.assertEqual(
            (other["verdict"], other["group"], other["waits_for"], other["missing"]), ("waits", "0", root["id"], 2)
        )
        self.assertIn("Rank 1 has not called all_reduce 4", report["headline"])
        self.assertEqual([row["stands_in"] for row in self.flight_ranks], [1, None, 2, 2])

    def test_a_circle(self):
        """Rank 0 waits for rank 1 in group a, and rank 1 for rank 0 in group b."""
        groups = {"a": ("first", [0, 1]), "b": ("second", [0, 1])}
        recorders = [Recorder(rank, groups) for rank in range(2)]
        recorders[0].collective("a", "all_reduce", SCHEDULED)
        recorders[1].collective("b", "all_reduce", SCHEDULED)
        report = self.hang(recorders)
        self.assertEqual(report["verdict"], "circle")
        self.assertEqual([row["verdict"] for row in self.flight_collectives], ["circle", "circle"])
        self.assertEqual([row["waits_for"] for row in self.flight_collectives], [2, 1])
        self.assertIn("for rank 1, which stands in all_reduce 1 of process group b", report["headline"])

    def test_a_rank_without_a_dump_is_unknown_and_not_missing(self):
        recorders = job(4)
        for recorder in recorders:
            recorder.collective("0", "all_reduce", SCHEDULED)
        report = self.hang(recorders[:3])
        self.assertEqual(report["verdict"], "no_dump")
        (call,) = self.flight_collectives
        self.assertEqual((call["missing"], call["no_dump"], call["entered"]), (0, 1, 3))
        unknown = self.flight_ranks[3]
        self.assertEqual(unknown.pop("rank"), 3)
        self.assertIs(unknown.pop("has_dump"), False)
        self.assertEqual(set(unknown.values()), {None})
        self.assertIn("no dump of rank 3", report["headline"])

    def test_a_device_that_does_not_start(self):
        recorders = job(4)
        for recorder in recorders:
            recorder.collective("0", "all_reduce", SCHEDULED if recorder.rank == 1 else STARTED)
        report = self.hang(recorders)
        self.assertEqual((report["verdict"], self.flight_collectives[0]["started"]), ("all_entered", 3))
        self.assertIn("on the device of rank 1 it has not started", report["headline"])

    def test_nothing_pending(self):
        report = self.hang(job(3))
        self.assertIsNone(report["verdict"])
        self.assertTrue(report["headline"].startswith("No call is pending: all"))
        # Of two ranks without dumps nothing is known.
        part = self.hang(job(3)[:1])
        self.assertEqual(
            part["headline"], "No call is pending in the dumps of 1 of 3 ranks; of the others nothing is known"
        )
        self.assertEqual((self.flight_collectives, self.flight_members, self.flight_mismatches), ([], [], []))

    def test_overwritten_calls(self):
        """Rank 0 made 300 calls in another group since: its dump of 200 no longer holds what the others wait in."""
        groups = {"0": ("default_pg", [0, 1, 2]), "own": ("", [0])}
        recorders = [Recorder(rank, groups, size=200) for rank in range(3)]
        for recorder in recorders:
            recorder.collective("0", "all_reduce")
        for _ in range(300):
            recorders[0].collective("own", "all_reduce")
        for recorder in recorders[1:]:
            recorder.collective("0", "all_reduce", SCHEDULED)
        self.assertEqual(self.hang(recorders)["verdict"], "unknown")
        self.assertEqual([row["lost"] for row in self.flight_ranks], [101, 0, 0])
        self.assertEqual(self.flight_collectives[0]["overwritten"], 1)
        # When it still holds a call of the group, what is not there was not made.
        recorders = job(3, steps=150, size=200)
        for recorder in recorders[1:]:
            recorder.collective("0", "all_reduce", SCHEDULED)
        self.assertEqual(self.hang(recorders)["verdict"], "missing")

    def test_messages(self):
        """A pipeline of three: rank 2 does not receive the second message of rank 1, and all its receives and sends are batches."""
        for size in (2000, 4):
            groups = {"0": ("pp", [4, 5, 6])}
            recorders = [Recorder(rank, groups, size=size) for rank in (4, 5, 6)]
            for _ in range(2):
                recorders[0].message("0", "send 0->1")
                recorders[1].message("0", "recv 1<-0")
            recorders[1].message("0", "send 1->2")
            recorders[2].message("0", "recv 2<-1")
            recorders[0].message("0", "send 0->1", SCHEDULED)
            recorders[1].batch("0", ["recv 1<-0", "send 1->2"], SCHEDULED, line=("schedule.py", 44, "forward"))
            self.hang(recorders)
            found = {(row["sender"], row["receiver"]): row for row in self.flight_collectives}
            self.assertEqual(set(found), {(4, 5), (5, 6)})
            late = found[5, 6]
            self.assertEqual(
                (late["kind"], late["verdict"], late["missing"], late["line"]),
                ("p2p", "missing", 1, "/home/user/schedule.py:44 in forward"),
            )
            # Of a dump that lost calls the number of a message is not known.
            self.assertEqual(late["sequence"], 1 if size == 2000 else None)
            # It is in a batch with that one, and ends with it.
            self.assertEqual(
                (found[4, 5]["entered"], found[4, 5]["missing"], found[4, 5]["verdict"], found[4, 5]["waits_for"]),
                (2, 0, "waits", late["id"]),
            )

    def test_a_message_of_other_sizes(self):
        recorders = job(2)
        recorders[0].message("0", "send 0->1", SCHEDULED, sizes=((8,),))
        recorders[1].message("0", "recv 1<-0", SCHEDULED, sizes=((9,),))
        self.assertEqual(self.hang(recorders)["verdict"], "mismatch")
        self.assertEqual(
            [(row["rank"], row["found"], row["expected"]) for row in self.flight_mismatches], [(1, "[[9]]", "[[8]]")]
        )

    def test_clocks_do_not_matter(self):
        """Hosts an hour apart each, as job() has them, against hosts with one clock."""
        reports = []
        for apart in (True, False):
            recorders = job(4)
            for recorder in recorders:
                if not apart:
                    recorder.clock_ns -= recorder.rank * 3_600_000_000_000
                if recorder.rank != 1:
                    recorder.collective("0", "all_reduce", SCHEDULED)
            reports.append(self.hang(recorders))
            for row in self.flight_ranks:
                row.pop("file")
            reports[-1] = (reports[-1]["headline"], self.flight_collectives, self.flight_members, self.flight_ranks)
        self.assertEqual(reports[0], reports[1])

    def test_the_rank_is_told_by_the_content_where_the_name_does_not(self):
        recorders = job(2)
        recorders[0].message("0", "send 0->1", SCHEDULED)
        recorders[1].message("0", "recv 1<-0", SCHEDULED)
        folder = self.folder()
        for recorder, name in zip(recorders, ("left", "right")):
            recorder.write_pickle(os.path.join(folder, name))
        out, _ = program.run("hang", folder, "--table", "flight_ranks", "--format", "json")
        self.assertEqual([os.path.basename(row["file"]) for row in rows_of(json.loads(out))], ["left", "right"])
        folder = self.folder()
        job(2)[0].write_pickle(os.path.join(folder, "dump"))
        _, error = program.run("hang", folder, expect=1)
        self.assertIn("neither its name nor its content says of which rank it is", error)

    def test_two_dumps_of_a_rank_are_refused(self):
        folder = self.folder()
        for name in ("a_1", "b_1"):
            job(2)[1].write_pickle(os.path.join(folder, name))
        _, error = program.run("hang", folder, expect=2)
        self.assertRegex(error, r"^rankscope: rank 1 has two dumps, .*: name those of one hang\n$")

    def test_what_is_no_dump(self):
        folder = self.folder()
        with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("nothing\n")
        _, error = program.run("hang", folder, expect=1)
        self.assertIn("no dump of PyTorch's Flight Recorder there", error)
        _, error = program.run("hang", os.path.join(folder, "notes.txt"), expect=1)
        self.assertIn("not a dump of PyTorch's Flight Recorder", error)
        # Beside dumps it is passed over.
        job(1)[0].write_pickle(os.path.join(folder, "rank_0"))
        _, error = program.run("hang", folder)
        self.assertEqual(error, "")

    def test_older_formats_and_objects_are_one_sentence(self):
        folder = self.folder()
        path = os.path.join(folder, "rank_0")
        dump = job(1)[0].dump()
        with open(path, "wb") as file:
            pickle.dump(dump | {"version": "1.5"}, file, protocol=2)
        _, error = program.run("hang", path, expect=1)
        self.assertRegex(error, r"^rankscope: .*rank_0: a Flight Recorder dump of format 1.5; 2.x is read[^\n]*\n$")
        with open(path, "wb") as file:
            pickle.dump(dump | {"extra": collections.OrderedDict()}, file, protocol=2)
        _, error = program.run("hang", path, expect=1)
        self.assertEqual(error.count("\n"), 1)
        self.assertIn("make an object or to call a function", error)

    def test_cut_off_dumps(self):
        for form in ("pickle", "JSON"):
            recorders = job(4)
            for recorder in recorders:
                recorder.collective("0", "all_reduce", SCHEDULED)
            folder = self.write(recorders, form)
            path = os.path.join(folder, FORMS[form][1].format(1))
            with open(path, "rb") as file:
                content = file.read()
            for part in (0.2, 0.5, 0.9, 0.999):
                with open(path, "wb") as file:
                    file.write(content[: int(len(content) * part)])
                out, error = program.run("hang", folder, "--format", "json")
                report = json.loads(out)
                call = rows_of(report["tables"]["flight_collectives"])[0]
                # A rank whose newest calls are cut off is not late.
                self.assertEqual((call["missing"], report["verdict"]), (0, call["verdict"]))
                self.assertIn(report["verdict"], ("no_dump", "unknown", "all_entered"))
                self.assertLessEqual(error.count("\n"), 1)
                if form == "pickle":
                    self.assertEqual(error.count("\n"), 1, "a pickle that was cut off is refused")

    def test_analyze_says_what_a_dump_is(self):
        for form in ("pickle", "JSON"):
            folder = self.write(job(1), form)
            path = os.path.join(folder, os.listdir(folder)[0])
            for command in (
                ("analyze", path),
                ("trace", "filter", path, "-o", os.path.join(folder, "out.json"), "--steps", "1"),
            ):
                _, error = program.run(*command, expect=(1, 2))
                self.assertIn("rankscope hang", error, command)

    def test_trace_info_names_the_format(self):
        recorders = job(4)
        folder = self.write(recorders)
        out, _ = program.run("trace", "info", os.path.join(folder, "nccl_trace_rank_2"))
        for line in (
            "PyTorch Flight Recorder, version 2.10",
            "rank         2",
            "  unknown      when device work ran",
            "6, 6 completed",
        ):
            self.assertIn(line, out)

    def test_tables(self):
        recorders = job(2)
        folder = self.write(recorders)
        for name in ("flight_collectives", "flight_members", "flight_ranks", "flight_mismatches", "flight_notes"):
            out, _ = program.run("list", name)
            self.assertIn("columns", out)
            for form in ("text", "csv", "json", "jsonl"):
                program.run("hang", folder, "--table", name, "--format", form)
        _, error = program.run("table", "flight_ranks", folder, expect=2)
        self.assertIn("rankscope hang DUMPS --table flight_ranks", error)
        _, error = program.run("hang", folder, "--format", "csv", expect=2)
        self.assertIn("needs --table", error)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
