#!/usr/bin/env python3
"""Makes tests/align/golden_csv.jsonl: tables written by, and files of gloss's style read by, Python's csv.

    python scripts/make_golden_csv.py > tests/align/golden_csv.jsonl
"""

import csv
import io
import json

COMMAND = "python scripts/make_golden_csv.py > tests/align/golden_csv.jsonl"
SOURCES = [["a", "b"], ["a,b", "\"", "\"\"", "x\"y"], ["line\nbreak", "cr\rhere", "crlf\r\nhere"], ["", " ", "  a "],
           ["a\u2028b", "\u0085", "\u00a0", "\ufeff"], ["'", ";", "\t", "|||"], ["中文", "😀", "e\u0301"], ["=1+1", "#", "\\"],
           [""], []]


def written(rows, terminator):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=terminator).writerows(rows)
    return out.getvalue()


def field(text):
    return text if text and not set(text) & set(",\"\r\n") else '"' + text.replace('"', '""') + '"'


def main():
    print(json.dumps({"made_by": COMMAND}))
    for source in SOURCES:
        rows = [["", *source]] + [[token, *(["0.5"] * len(source))] for token in reversed(source)]
        ours = '""' + "".join("," + field(token) for token in source) + "\n"
        ours += "".join(field(row[0]) + "".join(",0.5" for _ in source) + "\n" for row in rows[1:])
        assert list(csv.reader(io.StringIO(ours, newline=""))) == rows
        print(json.dumps({"rows": rows, "ours": ours, "python": [written(rows, "\n"), written(rows, "\r\n")]}))


if __name__ == "__main__":
    main()
