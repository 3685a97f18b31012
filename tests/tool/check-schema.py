#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-schema.py SCHEMA FILE...: whether each document (one a line in *.jsonl) is as the schema says.

Exit status 77 where there is no module jsonschema."""

import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema is not installed", file=sys.stderr)
    sys.exit(77)


def documents(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else [json.loads(text)]


def has_null(value):
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    if isinstance(value, list):
        return any(map(has_null, value))
    return value is None


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
faults = 0
for name in sys.argv[2:]:
    for document in documents(name):
        for error in validator.iter_errors(document):
            print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
            faults += 1
        if has_null(document):
            print(f"{name}: something is null")
            faults += 1
sys.exit(faults > 0)
