#!/usr/bin/env python3
"""Fails when a file of src/ or app/ includes what its module may not (src/README.md has the picture).

What a module may include is what its CMakeLists.txt says: gloss_module(NAME [TORCH] ... USES gloss::OTHER ...).
Checked: the arrows between modules, that they make no cycle, that src/README.md shows the same ones, that every quoted
include names a file that exists, that no header includes itself by a detour, that every header has #pragma once, and
that modules without TORCH see no LibTorch (its headers take half a minute a file).

    scripts/check_layers.py [ROOT]      ROOT: the project (default: the one this script lies in)
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
LIBTORCH = re.compile(r"^(torch|ATen|c10)/")
MODULE = re.compile(r"gloss_module\(\s*(\w+)([^)]*)\)")
README_ROW = re.compile(r"^\| `(\w+)` \|.*\|([^|]*)\|\s*$")


class Module(NamedTuple):
    may_include: set  # names of modules, all of them written out
    has_torch: bool


def read_modules(root):
    """{name: Module} from src/*/CMakeLists.txt, and app, which may include all."""
    modules = {}
    for path in sorted((root / "src").glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for name, arguments in MODULE.findall(text):
            words = arguments.split()
            uses = words[words.index("USES") + 1 :] if "USES" in words else []
            modules[name] = Module({word[7:] for word in uses if word.startswith("gloss::")}, "TORCH" in words)
    modules["app"] = Module(set(modules), True)
    return modules


def check_readme(root, modules):
    """Faults of the table in src/README.md, whose third column shows the arrows."""
    shown = {}
    for line in (root / "src/README.md").read_text(encoding="utf-8").splitlines():
        match = README_ROW.match(line)
        if match:
            shown[match.group(1)] = set(match.group(2).split()) - {"–"}
    expected = {name: module.may_include for name, module in modules.items() if name != "app"}
    for name in sorted(shown.keys() | expected.keys()):
        if name not in expected:
            yield f"src/README.md: shows {name}, which has no gloss_module() in src/*/CMakeLists.txt"
        elif name not in shown:
            yield f"src/README.md: has no row for the module {name}"
        elif shown[name] != expected[name]:
            may = " ".join(sorted(expected[name])) or "–"
            yield f"src/README.md: {name} may include by its CMakeLists.txt: {may}; the table says otherwise"


def find_cycle(arrows):
    """The first cycle of a graph {node: nodes} as a list of nodes, first = last; None when there is none."""
    finished = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in finished:
            return None
        for target in sorted(arrows.get(node, ())):
            cycle = visit(target, path + [node])
            if cycle:
                return cycle
        finished.add(node)
        return None

    for node in sorted(arrows):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


def includes(path):
    """(line number, "quote" or <angle>, name) of every include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def resolve(root, path, name):
    """The file that a quoted include means: beside the including file, or below src/, or below the root (app)."""
    for base in (path.parent, root / "src", root):
        if (base / name).is_file():
            return (base / name).resolve()
    return None


def module_of(root, path):
    """core, nn, ..., app; "" for a file that lies in src/ itself."""
    parts = path.relative_to(root).parts
    if parts[0] == "app":
        return "app"
    return parts[1] if len(parts) > 2 else ""


def check_include(root, modules, path, quote, name):
    """What is wrong with one include, or None; and the file it means, if it is one of ours."""
    module = module_of(root, path)
    without_torch = module in modules and not modules[module].has_torch
    if without_torch and (LIBTORCH.match(name) or (quote == '"' and name == "torch.h")):
        return f"includes LibTorch ({name}), which {module} does without", None
    if quote == "<":
        return None, None
    target = resolve(root, path, name)
    if target is None:
        return f'"{name}" is no file of this project; write <{name}> for a library', None
    other = module_of(root, target)
    if not module or not other or other == module or other in modules[module].may_include:
        return None, target
    may = " ".join(sorted(modules[module].may_include)) or "nothing"
    return f'{module} must not include {other} ("{name}"); its CMakeLists.txt USES: {may}', target


def check(root):
    modules = read_modules(root)
    faults = list(check_readme(root, modules))
    cycle = find_cycle({name: module.may_include for name, module in modules.items()})
    if cycle:
        faults.append("src/*/CMakeLists.txt: modules use each other: " + " -> ".join(cycle))

    files = sorted(p for top in ("src", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp"))
    includes_of = {}
    for path in files:
        shown = path.relative_to(root)
        module = module_of(root, path)
        if module and module not in modules:
            faults.append(f"{shown}:1: src/{module}/CMakeLists.txt has no gloss_module({module} ...)")
            continue
        if path.suffix == ".h" and "#pragma once" not in path.read_text(encoding="utf-8"):
            faults.append(f"{shown}:1: header without #pragma once")
        for number, quote, name in includes(path):
            fault, target = check_include(root, modules, path, quote, name)
            if fault:
                faults.append(f"{shown}:{number}: {fault}")
            if target:
                includes_of.setdefault(str(shown), set()).add(str(target.relative_to(root)))

    cycle = find_cycle(includes_of)
    if cycle:
        faults.append(f"{cycle[0]}:1: files include each other: " + " -> ".join(cycle))
    return files, faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    files, faults = check(root)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not files:
        print(f"{root}: neither src/ nor app/ has a C++ file", file=sys.stderr)
        return 1
    if faults:
        print(f"layers: {len(faults)} faults in {len(files)} files", file=sys.stderr)
        return 1
    print(f"layers: {len(files)} files, all arrows allowed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
