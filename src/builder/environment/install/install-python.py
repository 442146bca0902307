"""Installs what a Python project lists, with pip, whatever tool wrote the list.

Arguments: the list, and the folder to install into, which is in the folder of the project. Runs inside the sandbox, there.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

INDEX_UNREACHABLE = 75
NO_PIP = 76
LIST_UNREADABLE = 77

UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|RemoteDisconnected|ProxyError"
    r"|name resolution|Connection (?:refused|reset|aborted)|Network is unreachable|No route to host"
)


class Unreadable(Exception):
    """The list asks for something that pip cannot do."""


if importlib.util.find_spec("pip") is None:
    # A pyproject.toml may be there for tools alone.
    listed = open(sys.argv[1], encoding="utf-8").read()
    sys.exit(NO_PIP if os.path.basename(sys.argv[1]) != "pyproject.toml" or "dependencies" in listed else 0)

try:
    from pip._vendor.packaging.markers import Marker
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import canonicalize_name
except ImportError:  # distributions that take pip apart
    from packaging.markers import Marker
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name
try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib


def usual_index():
    try:
        from pip._internal.models.index import PyPI

        return PyPI.simple_url.rstrip("/")
    except ImportError:
        return None


def read_toml(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def applies(marker, extras=()):
    if not marker:
        return True
    return any(Marker(marker).evaluate({"extra": extra}) for extra in (*extras, ""))


def specifier(text):
    """The versions that Poetry and Pipenv write, in pip's words."""
    parts = [part.strip() for part in text.split(",")]
    if "|" in text:
        raise Unreadable(f"{text!r} are alternatives, which pip does not know")
    return ",".join(filter(None, map(one_specifier, parts)))


def one_specifier(part):
    if part in ("*", ""):
        return ""
    if part[0] not in "^~" or part.startswith("~="):
        return part if part[0] in "<>=!~" else f"=={part}"
    version = part[1:].strip()
    numbers = [int(number) for number in re.match(r"\d+(?:\.\d+)*", version)[0].split(".")]
    if part[0] == "~":
        kept = min(len(numbers), 2)
    else:  # up to the first number that is not 0
        kept = next((i + 1 for i, number in enumerate(numbers) if number > 0), len(numbers))
    above = [*numbers[: kept - 1], numbers[kept - 1] + 1]
    return f">={version},<{'.'.join(map(str, above))}"


def place(entry):
    """Where a package comes from if not from the index; None for the index."""
    if "git" in entry:
        at = next((entry[key] for key in ("rev", "ref", "tag", "branch") if key in entry), None)
        return f"git+{entry['git']}" + (f"@{at}" if at else "")
    if "url" in entry:
        return entry["url"]
    for key in ("path", "file", "directory", "editable"):
        if isinstance(entry.get(key), str):
            return entry[key] if "://" in entry[key] else f"./{entry[key]}"
    if entry.get("workspace"):
        raise Unreadable("a member of a workspace is found by its lock file alone: upload uv.lock")
    return None


def line_of(name, entry):
    """A requirement, of a table such as `{ version = "^1", extras = ["x"] }` or of a version alone."""
    if isinstance(entry, list):
        raise Unreadable(f"{name} has several constraints, which pip does not know")
    entry = {"version": entry} if isinstance(entry, str) else entry
    found = place(entry)
    if found is not None and found.startswith("./"):
        return found
    extras = f"[{','.join(entry['extras'])}]" if entry.get("extras") else ""
    version = f" @ {found}" if found else specifier(entry.get("version", "*"))
    marker = entry.get("markers") or entry.get("marker")
    return f"{name}{extras}{version}" + (f" ; {marker}" if marker else "")


def pinned(packages):
    """Lines of packages as a lock file has them: with what they must hash to where that is known of all."""
    hashed = all(package["hashes"] for package in packages)
    return [
        " ".join([package["line"], *(f"--hash={each}" for each in package["hashes"] if hashed)])
        for package in packages
    ]


def reachable(roots, find):
    """The packages that others ask for, each once; `find` gives a package and what it asks for in turn."""
    seen, found, waiting = set(), [], list(roots)
    while waiting:
        wanted = waiting.pop()
        if wanted in seen:
            continue
        seen.add(wanted)
        package, more = find(*wanted)
        if package is not None and package not in found:
            found.append(package)
        waiting.extend(more)
    return found


def hashes_of(entry):
    files = [*entry.get("wheels", []), *([entry["sdist"]] if "sdist" in entry else [])]
    return [file["hash"] for file in files if "hash" in file]


def own_package(project):
    """A project with a build system whose code is in `src` has to be installed to be imported."""
    return ["."] if "build-system" in project and os.path.isdir("src") else []


def from_uv_lock(path):
    lock = read_toml(path)
    packages = lock.get("package", [])
    source = lambda package: package.get("source", {})
    is_root = lambda package: "." in (source(package).get("virtual"), source(package).get("editable"))
    roots = [package for package in packages if is_root(package)]
    if not roots:
        raise Unreadable("uv.lock has no project of this folder")

    def wanted(dependencies, extras=()):
        for each in dependencies:
            if applies(each.get("marker"), extras):
                yield each["name"], each.get("version"), tuple(each.get("extra", ()))

    def find(name, version, extras):
        package = next(
            each for each in packages if each["name"] == name and version in (None, each.get("version"))
        )
        optional = package.get("optional-dependencies", {})
        asked = [each for extra in extras for each in optional.get(extra, [])]
        more = [*wanted(package.get("dependencies", []), extras), *wanted(asked, extras)]
        found = place({key: value for key, value in source(package).items() if key != "registry"})
        line = found if found and found.startswith("./") else f"{name} @ {found}" if found else f"{name}=={package.get('version')}"
        if is_root(package):
            return None, more
        return {"line": line, "hashes": [] if found else hashes_of(package)}, more

    root = roots[0]
    found = reachable(wanted(root.get("dependencies", [])), find)
    indexes = [source(package)["registry"] for package in packages if "registry" in source(package)]
    return pinned(found), indexes, True


def from_poetry_lock(path):
    packages = {canonicalize_name(each["name"]): each for each in read_toml(path).get("package", [])}

    def entries(dependencies):
        for name, given in dependencies.items():
            for entry in given if isinstance(given, list) else [given]:
                entry = {"version": entry} if isinstance(entry, str) else entry
                key = canonicalize_name(name)
                if key != "python" and not entry.get("optional") and applies(entry.get("markers")):
                    yield key, tuple(entry.get("extras", ()))

    def find(name, extras):
        package = packages.get(name)
        if package is None:
            raise Unreadable(f"poetry.lock lacks {name}: write it anew by `poetry lock`")
        asked = [canonicalize_name(Requirement(each.split(" (")[0]).name) for extra in extras for each in package.get("extras", {}).get(extra, [])]
        more = [*entries(package.get("dependencies", {})), *((each, ()) for each in asked if each in packages)]
        source = package.get("source", {})
        kind, url = source.get("type"), source.get("url")
        if kind in ("directory", "file"):
            return {"line": f"./{url}", "hashes": []}, more
        if kind in ("git", "url"):
            at = f"git+{url}@{source['resolved_reference']}" if kind == "git" else url
            return {"line": f"{name} @ {at}", "hashes": []}, more
        hashes = [file["hash"] for file in package.get("files", [])]
        return {"line": f"{name}=={package['version']}", "hashes": hashes}, more

    project = read_toml("pyproject.toml")
    listed = project.get("project", {}).get("dependencies", [])
    required = [Requirement(each) for each in listed]
    roots = [
        *((canonicalize_name(each.name), tuple(each.extras)) for each in required if not each.marker or each.marker.evaluate()),
        *entries(project.get("tool", {}).get("poetry", {}).get("dependencies", {})),
    ]
    sources = [each.get("source", {}) for each in packages.values()]
    indexes = [each["url"] for each in sources if each.get("type") == "legacy"]
    return pinned(reachable(roots, find)), indexes, True


def from_pylock(path):
    packages = [each for each in read_toml(path)["packages"] if applies(each.get("marker"))]

    def package(each):
        vcs = each.get("vcs")
        if vcs:
            return {"line": f"{each['name']} @ {vcs['type']}+{vcs['url']}@{vcs['commit-id']}", "hashes": []}
        if "directory" in each:
            return {"line": f"./{each['directory']['path']}", "hashes": []}
        files = [*each.get("wheels", []), *([each["sdist"]] if "sdist" in each else [])]
        hashes = [f"{kind}:{value}" for file in files for kind, value in file.get("hashes", {}).items()]
        return {"line": f"{each['name']}=={each['version']}", "hashes": hashes}

    indexes = [each["index"] for each in packages if "index" in each]
    return pinned([package(each) for each in packages]), indexes, True


def from_pipfile_lock(path):
    with open(path, encoding="utf-8") as file:
        lock = json.load(file)
    entries = lock.get("default", {}).items()
    packages = [{"line": line_of(name, entry), "hashes": entry.get("hashes", [])} for name, entry in entries]
    return pinned(packages), [each["url"] for each in lock.get("_meta", {}).get("sources", [])], True


def from_pipfile(path):
    pipfile = read_toml(path)
    lines = [line_of(name, entry) for name, entry in pipfile.get("packages", {}).items()]
    return lines, [each["url"] for each in pipfile.get("source", [])], False


def from_pyproject(path):
    project = read_toml(path)
    about, tool = project.get("project", {}), project.get("tool", {})
    if "dependencies" in about.get("dynamic", []):
        return ["."], [], False
    sources = {canonicalize_name(name): entry for name, entry in tool.get("uv", {}).get("sources", {}).items()}

    def line(text):
        required = Requirement(text)
        entry = sources.get(canonicalize_name(required.name))
        if entry is None or "index" in entry:
            return text
        marker = {"marker": str(required.marker)} if required.marker else {}
        return line_of(required.name, {"extras": sorted(required.extras), **marker, **entry})

    lines = [line(text) for text in about.get("dependencies", [])]
    if "dependencies" not in about:
        entries = tool.get("poetry", {}).get("dependencies", {}).items()
        lines = [
            line_of(name, entry)
            for name, entry in entries
            if name != "python" and not (isinstance(entry, dict) and entry.get("optional"))
        ]
    indexes = [each["url"] for each in tool.get("uv", {}).get("index", []) if "url" in each]
    return [*lines, *own_package(project)], indexes, False


READERS = {
    "uv.lock": from_uv_lock,
    "poetry.lock": from_poetry_lock,
    "pylock.toml": from_pylock,
    "Pipfile.lock": from_pipfile_lock,
    "Pipfile": from_pipfile,
    "pyproject.toml": from_pyproject,
}


def pip(target, *arguments):
    """Passes on what pip says; whether it could not reach an index is told by the code."""
    # Of a folder that is there, pip replaces what is found at the top, such as all that begins with `google.`.
    into = f"{target}.next" if os.path.isdir(target) else target
    usual = ["--disable-pip-version-check", "--no-warn-script-location", "--no-compile", "--progress-bar", "off"]
    command = [sys.executable, "-m", "pip", "install", *usual, "--upgrade", "--target", into, *arguments]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    unreachable = False
    for line in running.stdout:
        unreachable = unreachable or UNREACHABLE.search(line.decode("utf-8", "replace")) is not None
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    code = running.wait()
    if code != 0:
        sys.exit(INDEX_UNREACHABLE if unreachable else code)
    if into != target and os.path.isdir(into):
        move_all(into, target)


def move_all(source, target):
    """Packages take the place of those of the same name; folders that several packages share have what is in both."""
    for name in os.listdir(source):
        new, old = os.path.join(source, name), os.path.join(target, name)
        if os.path.isdir(old) and not os.path.islink(old):
            if os.path.isdir(new) and not (is_package(new) or is_package(old)):
                move_all(new, old)
                continue
            shutil.rmtree(old)
        elif os.path.lexists(old):
            os.remove(old)
        os.replace(new, old)
    os.rmdir(source)


def is_package(folder):
    return any(name.startswith("__init__.") for name in os.listdir(folder))


def compile_packages(target, root):
    """Compiles once what every start would compile again, since programs cannot write among their files.

    The source decides by its hash whether what was compiled still holds: equal packages have equal files, and a build
    may change one of them. Some packages come with code for other Pythons, which does not compile and is no fault.
    """
    how = ["-qq", "-f", "--invalidation-mode", "checked-hash", "-x", r"/tests?/"]
    # What is compiled names its source, which is at the same place wherever it was built.
    where = ["-s", root, "-p", "/var/task", target]
    command = [sys.executable, "-m", "compileall", *how, *where]
    # Elsewhere, since a module of the project may be called as one that this needs.
    subprocess.run(command, cwd="/", env={**os.environ, "PYTHONHASHSEED": "0"}, check=False)


def main(path, target):
    root, target = os.getcwd(), os.path.abspath(target)
    install(path, target)
    if os.path.isdir(target):
        compile_packages(target, root)


def install(path, target):
    folder, name = os.path.split(path)
    reader = READERS.get(name)
    if reader is None:
        return pip(target, "--requirement", path)
    root = os.getcwd()
    # Such a list is of the folder that it is in, and of its other files.
    os.chdir(folder or ".")
    try:
        lines, indexes, is_whole = reader(name)
        has_own = is_whole and os.path.isfile("pyproject.toml") and own_package(read_toml("pyproject.toml"))
    except (Unreadable, KeyError, ValueError, TypeError, StopIteration, FileNotFoundError) as error:
        what = str(error) if isinstance(error, Unreadable) else f"{type(error).__name__}: {error}"
        print(f"{path} cannot be read: {what}")
        sys.exit(LIST_UNREADABLE)
    # Variables of the build, such as PIP_FIND_LINKS, name files from where all commands run.
    os.chdir(root)
    here = f"./{folder}" if folder else "."
    lines = [os.path.join(here, line) if line == "." or line.startswith("./") else line for line in lines]
    others = dict.fromkeys(url for url in indexes if url.rstrip("/") != usual_index())
    # uv names a folder of wheels (`find-links`) where it names an index otherwise.
    options = [f"--extra-index-url {url}" if "://" in url else f"--find-links {os.path.join(here, url)}" for url in others]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join([*options, *lines, ""]))
        file.flush()
        if lines:
            pip(target, *(["--no-deps"] if is_whole else []), "--requirement", file.name)
    # A lock file tells what the project needs; the project itself is what was uploaded.
    if has_own:
        pip(target, "--no-deps", here)


main(*sys.argv[1:])
