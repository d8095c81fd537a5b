"""Runs the checks of deploy/kubernetes that need no cluster, and then every mutation, each of which must be caught."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import copies
import facts
import mutations
import objects
import programs
import schemas
from tree import COMPONENTS, BuildError, Tree

# Those with all Secrets, so that all facts can be compared.
COMPLETE = (
    "overlays/development",
    "overlays/production",
    "overlays/external-secrets",
    "overlays/gateway",
    "overlays/private-authority",
)
PARTS = ("base", *(f"overlays/only-{component}" for component in COMPONENTS))


def quick_problems(path: str, items: list[dict]) -> list[str]:
    """All that can be said of a kustomization's objects without the compiler."""
    if problems := schemas.own_kinds(items):
        return problems  # the other checks rely on the objects' shapes
    problems = objects.check(items)
    if path in COMPLETE:
        problems += [*objects.images(items), *facts.images(items), *facts.check(items)]
        problems += objects.authority(items, path == "overlays/private-authority")
    if path != "overlays/development" and path in COMPLETE:
        problems += facts.released(items)
    return problems


def check_tree(tree: Tree, folder: Path, with_custom_kinds: bool) -> tuple[int, list[str]]:
    built = {path: tree.build(path) for path in (*COMPLETE, *PARTS)}
    problems = [f"{path}: {problem}" for path, items in built.items() for problem in quick_problems(path, items)]
    for fields in ((), ("env", "volumeMounts", "volumes")):
        job = tree.example("migrate-job.yaml", *fields)
        problems += schemas.own_kinds(job) or objects.authority(job, bool(fields))
    problems += copies.check() + facts.documented(tree.folder)
    if with_custom_kinds:
        custom = [(path, item) for path, items in built.items() for item in items if schemas.is_custom(item)]
        found = schemas.custom_kinds([item for _, item in custom], folder)
        problems += [f"{path}: {problem}" for (path, _), each in zip(custom, found, strict=True) for problem in each]
    return sum(map(len, built.values())), problems


def mutate(number: int, mutation: mutations.Mutation, folder: Path) -> tuple[list[str], list[dict]]:
    """What the quick checks say of a tree with the mistake, and the objects that are left to the compiler."""
    tree = Tree(folder / f"mutation-{number}")
    file = tree.folder / mutation.file
    text = file.read_text()
    if mutation.old not in text:
        raise RuntimeError(f"mutation {number}: {mutation.file} has no {mutation.old!r}")
    file.write_text(text.replace(mutation.old, mutation.new, 1))
    try:
        items = tree.build(mutation.overlay)
    except BuildError as error:
        return [str(error)], []
    return quick_problems(mutation.overlay, items), list(filter(schemas.is_custom, items))


def missed_mutations(folder: Path, with_custom_kinds: bool) -> list[str]:
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: mutate(*pair, folder), enumerate(mutations.ALL)))
    if with_custom_kinds:
        custom = [(index, item) for index, (_, items) in enumerate(results) for item in items]
        found = schemas.custom_kinds([item for _, item in custom], folder)
        for (index, _), problems in zip(custom, found, strict=True):
            results[index][0].extend(problems)
    missed = []
    for mutation, (problems, _) in zip(mutations.ALL, results, strict=True):
        if not any(mutation.expected in problem for problem in problems):
            if not with_custom_kinds and mutation.file.startswith("components/"):
                continue
            said = "; ".join(problems) or "nothing"
            missed.append(f"{mutation.file}: {mutation.new!r} was not caught; the checks said: {said}")
    return missed


def main() -> int:
    folder = Path(sys.argv[1])
    with_custom_kinds = "--without-custom-kinds" not in sys.argv
    try:
        tree = Tree(folder / "tree")
        count, problems = check_tree(tree, folder, with_custom_kinds)
    except BuildError as error:
        problems = [str(error)]
    if not problems:
        problems = programs.refused(tree)
    if not problems:
        problems = missed_mutations(folder, with_custom_kinds)
    for problem in problems:
        print(f"kubernetes: {problem}", file=sys.stderr)
    if not problems:
        print(
            f"kubernetes: {count} objects of {len(COMPLETE + PARTS)} kustomizations are well; "
            f"{len(mutations.ALL)} mutations were caught"
        )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
