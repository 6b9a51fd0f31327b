"""Checks that all names that could collide with names of a user's program begin with cmb_ or CMB_.

Exported symbols are read from the object files, macros and tags from the text of the public headers;
clang-tidy checks the other names that the headers declare (it does not check tags in C).
"""
import re

from .tidy_check import tidy_findings
from .tree import Finding, layer_of, line_at, symbols

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
TAG = re.compile(r"\b((?:struct|union|enum)\s+(?!cmb_)[A-Za-z_]\w*)")

NAMING = """{Checks: '-*,readability-identifier-naming', WarningsAsErrors: '*', CheckOptions: [
  {key: readability-identifier-naming.TypedefPrefix, value: cmb_},
  {key: readability-identifier-naming.EnumConstantPrefix, value: CMB_},
  {key: readability-identifier-naming.FunctionPrefix, value: cmb_},
  {key: readability-identifier-naming.GlobalVariablePrefix, value: cmb_},
  {key: readability-identifier-naming.GlobalConstantPrefix, value: cmb_}]}"""


def run(tree):
    findings = []
    for path, compiled in tree.probe_objects().items():
        for symbol in symbols(compiled):
            is_exported = symbol.is_global and symbol.section != "*UND*"
            if is_exported and not symbol.name.startswith("cmb_"):
                text = f"{symbol.name} is exported but lacks the prefix cmb_; should it be static?"
                findings.append(Finding(path, tree.line_of(path, symbol.name), text))
    for path in tree.public_headers():
        findings += macros(tree, path) + tags(tree, path) + declarations(tree, path)
    return findings


def macros(tree, path):
    guard = f"CAMBER_{layer_of(path) or 'camber'}_H".upper()
    return [
        Finding(path, line_at(match), f"macro {match.group(1)} lacks the prefix CMB_")
        for match in DEFINE.finditer(tree.code(path))
        if not match.group(1).startswith(("CMB_", "CAMBER_VERSION_")) and match.group(1) != guard
    ]


def tags(tree, path):
    return [
        Finding(path, line_at(match), f"{match.group(1)} lacks the prefix cmb_")
        for match in TAG.finditer(tree.code(path))
    ]


def declarations(tree, path):
    command = ["clang-tidy", "--quiet", f"--config={NAMING}", path, "--"]
    findings = tidy_findings(tree, command + ["-xc", "-std=c11", "-Iinclude"])
    return [
        finding._replace(text=re.sub(r"invalid case style for (.*'\w+').*",
                                     r"\1 lacks the prefix cmb_ or CMB_", finding.text))
        for finding in findings
    ]
