#!/usr/bin/env python3
"""Writes one trace in many forms that mean the same, so that a reader can be held to one answer for all.

    make_variants.py TRACE.json[.gz] OUTDIR

Written, with STEM the name of the source without .json or .json.gz:

    STEM.plain.json            the text as it is, not compressed
    STEM.gzip_one.json.gz      the text as it is, one gzip member
    STEM.gzip_many.json.gz     a gzip member for each 1,000,000 bytes of text
    STEM.minified.json         no white space
    STEM.pretty.json           indented by 4
    STEM.keys_sorted.json      keys of every object in order, at every level
    STEM.keys_reversed.json    keys of every object in reverse of the file's order, at every level
    STEM.metadata_before.json  the outer keys before traceEvents; not for a bare array
    STEM.metadata_after.json   the outer keys after traceEvents; not for a bare array

Prints the paths it wrote, one per line, in this order. Numbers keep every byte: they are carried as the text they
were, never converted. Strings may be escaped in another way. The source has to be valid JSON, without duplicate keys.
The same source gives the same bytes.
"""

import gzip
import json
import os
import sys
from json.encoder import encode_basestring, encode_basestring_ascii

MEMBER_BYTES = 1_000_000


class Number(str):
    """The text of a number, byte for byte."""

    __slots__ = ()


def quote(text):
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: only an escape can say that
        return encode_basestring_ascii(text)
    return encode_basestring(text)


def serialize(value, out, indent, depth):
    """Appends the pieces of `value` to the list `out`; indent 0 is one line without spaces."""
    if isinstance(value, Number):
        out.append(value)
    elif isinstance(value, str):
        out.append(quote(value))
    elif isinstance(value, dict):
        colon = ": " if indent else ":"
        serialize_items([(quote(key) + colon, item) for key, item in value.items()], "{}", out, indent, depth)
    elif isinstance(value, list):
        serialize_items([("", item) for item in value], "[]", out, indent, depth)
    else:
        out.append({None: "null", True: "true", False: "false"}[value])


def serialize_items(items, brackets, out, indent, depth):
    out.append(brackets[0])
    separator = ""
    for prefix, item in items:
        out.append(separator)
        if indent:
            out.append("\n" + " " * (indent * (depth + 1)))
        out.append(prefix)
        serialize(item, out, indent, depth + 1)
        separator = ","
    if indent and items:
        out.append("\n" + " " * (indent * depth))
    out.append(brackets[1])


def to_text(value, indent=0):
    out = []
    serialize(value, out, indent, 0)
    return "".join(out).encode("utf-8")


def with_keys(value, order):
    """`value` with the items of every object put in order by `order`."""
    if isinstance(value, dict):
        return {key: with_keys(item, order) for key, item in order(list(value.items()))}
    if isinstance(value, list):
        return [with_keys(item, order) for item in value]
    return value


def with_events(document, last):
    """The outer object with traceEvents as its first or last key."""
    outer = {key: value for key, value in document.items() if key != "traceEvents"}
    events = {"traceEvents": document["traceEvents"]}
    return {**outer, **events} if last else {**events, **outer}


def gzip_members(text, size):
    return b"".join(gzip.compress(text[begin : begin + size], mtime=0) for begin in range(0, max(len(text), 1), size))


def variants(text):
    """Yields (suffix, bytes)."""
    yield "plain.json", text
    yield "gzip_one.json.gz", gzip.compress(text, mtime=0)
    yield "gzip_many.json.gz", gzip_members(text, MEMBER_BYTES)
    document = json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number)
    yield "minified.json", to_text(document)
    yield "pretty.json", to_text(document, indent=4)
    yield "keys_sorted.json", to_text(with_keys(document, sorted_by_key))
    yield "keys_reversed.json", to_text(with_keys(document, reversed))
    if isinstance(document, dict) and "traceEvents" in document:
        yield "metadata_before.json", to_text(with_events(document, last=True))
        yield "metadata_after.json", to_text(with_events(document, last=False))


def sorted_by_key(items):
    return sorted(items, key=lambda item: item[0])


def stem_of(path):
    name = os.path.basename(path)
    for suffix in (".json.gz", ".gz", ".json"):
        if name.endswith(suffix):
            return name[: -len(suffix)]
    return name


def main(arguments):
    if len(arguments) != 2:
        print("usage: make_variants.py TRACE.json[.gz] OUTDIR", file=sys.stderr)
        return 2
    source, folder = arguments
    with open(source, "rb") as file:
        text = file.read()
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    os.makedirs(folder, exist_ok=True)
    for suffix, data in variants(text):
        path = os.path.join(folder, f"{stem_of(source)}.{suffix}")
        with open(path, "wb") as file:
            file.write(data)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
