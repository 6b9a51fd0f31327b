"""Checks docs/model.schema.json against the reader and the models.

    check_schema.py SOURCE_DIR

Checks that every key and every choice in the reader's tables (src/model/*.c) is in the schema, that every property of the
schema is a key of the reader, that the files in models/ are valid, and that the files in tests/cli/bad/ whose error is a
wrong key, type or kind are not.
"""
import json
import pathlib
import re
import sys

import jsonschema
import yaml

# Tables of the reader that are not keys or choices of a model.
OTHER_TABLES = {"reserved", "texts", "not_finite", "units"}
# Files in bad/ with an error that a schema can detect.
WRONG = ["unknown-section", "unknown-key-body", "unknown-key-joint", "unknown-key-force", "unknown-key-loop",
         "unknown-key-instance", "unknown-type", "missing-type", "missing-child", "missing-mass", "section-kind",
         "number-is-list", "vector-too-short", "table-kind", "mirror-plane", "free-loop", "output-unknown-key",
         "output-without-value", "output-unit-is-list"]


class Loader(yaml.SafeLoader):
    """Reads YAML as Camber's reader does: only true and false are Boolean values, so that `on` stays a key."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:bool"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def words_of_reader(folder):
    """Returns the words in the tables of the reader: all strings in the braces after `name[...] =`."""
    words = set()
    for file in sorted(folder.glob("*.c")):
        text = file.read_text()
        for table in re.finditer(r"(\w+)\s*(?:\[[^\]]*\])+\s*=\s*\{", text):
            end, depth = table.end(), 1
            while depth > 0:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            if table.group(1) not in OTHER_TABLES:
                words.update(re.findall(r'"([a-z][a-z-]*)"', text[table.end():end]))
    return words


def words_of_schema(node, properties, choices):
    """Adds the names of all properties and the choices (enum, const) below a node of the schema to the two sets."""
    if isinstance(node, list):
        for entry in node:
            words_of_schema(entry, properties, choices)
    if not isinstance(node, dict):
        return
    properties.update(node.get("properties", {}))
    choices.update(str(word).lower() for word in node.get("enum", []))
    if "const" in node:
        choices.add(str(node["const"]).lower())
    for entry in node.values():
        words_of_schema(entry, properties, choices)


def main():
    source = pathlib.Path(sys.argv[1])
    schema = json.loads((source / "docs/model.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []

    known = words_of_reader(source / "src/model")
    properties, choices = set(), set()
    words_of_schema(schema, properties, choices)
    if len(known) < 100:
        faults.append(f"only {len(known)} words found in the tables of src/model")
    faults += [f"'{word}' of the reader is not in the schema" for word in sorted(known - properties - choices)]
    faults += [f"'{word}' of the schema is not a key of the reader" for word in sorted(properties - known)]

    models = sorted(source.glob("models/**/*.yaml"))
    if not models:
        faults.append("no models found")
    tyre_set = jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/tyre_set"})
    for file in models:
        of_file = tyre_set if file.parent.name == "tyres" else validator
        for error in of_file.iter_errors(yaml.load(file.read_text(), Loader)):
            faults.append(f"{file.name}: {'/'.join(map(str, error.path))}: {error.message[:200]}")
    for name in WRONG:
        if validator.is_valid(yaml.load((source / f"tests/cli/bad/{name}.yaml").read_text(), Loader)):
            faults.append(f"bad/{name}.yaml is valid, but contains an error")

    print("\n".join(faults) or f"{len(known)} words, {len(models)} models")
    return 1 if faults else 0


sys.exit(main())
