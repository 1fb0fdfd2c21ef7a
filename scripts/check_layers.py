#!/usr/bin/env python3
"""Fails when a file of src/ or app/ includes what its module may not (CONTRIBUTING.md has the picture).

Checked: the arrows between modules, that the table of arrows has no cycle, that every quoted include names a file that
exists, that no header includes itself by a detour, that every header has #pragma once, and that modules made of strings
and numbers see no LibTorch.

    scripts/check_layers.py [ROOT]      ROOT: the project (default: the one this script lies in)
"""

import re
import sys
from pathlib import Path

# module: the modules it may include, all of them written out
ALLOWED = {
    "core": set(),
    "config": {"core"},
    "metrics": {"config", "core"},
    "align": {"config", "core"},
    "kernels": {"core"},
    "text": {"config", "core"},
    "data": {"text", "config", "core"},
    "nn": {"kernels", "config", "core"},
    "model": {"nn", "kernels", "config", "core"},
    "search": {"model", "data", "align", "config", "core"},
    "checkpoint": {"model", "text", "config", "core"},
    "train": {"data", "search", "metrics", "checkpoint", "model", "nn", "kernels", "align", "text", "config", "core"},
}
ALLOWED["app"] = set(ALLOWED)

# Compiling LibTorch's headers takes half a minute a file: these modules do without.
NO_LIBTORCH = {"core", "config", "metrics", "text", "align", "data"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
LIBTORCH = re.compile(r"^(torch|ATen|c10)/")


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


def check_include(root, path, quote, name):
    """What is wrong with one include, or None; and the file it means, if it is one of ours."""
    module = module_of(root, path)
    if module in NO_LIBTORCH and (LIBTORCH.match(name) or (quote == '"' and name == "torch.h")):
        return f"includes LibTorch ({name}), which {module} does without", None
    if quote == "<":
        return None, None
    target = resolve(root, path, name)
    if target is None:
        return f'"{name}" is no file of this project; write <{name}> for a library', None
    other = module_of(root, target)
    if not module or not other or other == module or other in ALLOWED[module]:
        return None, target
    may = " ".join(sorted(ALLOWED[module])) or "nothing"
    return f'{module} must not include {other} ("{name}"); it may include: {may}', target


def check(root):
    faults = []
    cycle = find_cycle(ALLOWED)
    if cycle:
        faults.append("scripts/check_layers.py: the table has a cycle: " + " -> ".join(cycle))

    files = sorted(p for top in ("src", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp"))
    includes_of = {}
    for path in files:
        shown = path.relative_to(root)
        module = module_of(root, path)
        if module and module not in ALLOWED:
            faults.append(f"{shown}:1: the module {module} is not in the table of scripts/check_layers.py")
            continue
        if path.suffix == ".h" and "#pragma once" not in path.read_text(encoding="utf-8"):
            faults.append(f"{shown}:1: header without #pragma once")
        for number, quote, name in includes(path):
            fault, target = check_include(root, path, quote, name)
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
