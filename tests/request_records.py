"""Files of rankscope's request recorders, as tests read them."""

import csv
import io
import os
import re

import program


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def declared():
    """Names of the lines of a file, as src/serving/inputs/request_line.cc declares them: of headers, requests and samples."""
    path = os.path.join(program.HERE, "..", "src", "serving", "inputs", "request_line.cc")
    with open(path, encoding="utf-8") as file:
        parts = file.read().split("static const Fields<T> fields")[1:]
    found = [set(re.findall(r'(?:\(|\.name = )"(\w+)"', part.split("return fields")[0])) for part in parts]
    return [names - {"RecorderHeader", "RequestLine", "SampleLine"} for names in found]


def requests_of(path):
    """Rows of serving_requests; what is not known is None."""
    out, error = program.run("serving", path, "--table", "serving_requests", "--format", "csv")
    assert error == "", error
    rows = list(csv.DictReader(io.StringIO(out)))
    for row in rows:
        for name, text in row.items():
            number = name.endswith("_ns") or name in ("batch", "batch_size")
            row[name] = None if text == "" else int(text) if number else text
    return rows
