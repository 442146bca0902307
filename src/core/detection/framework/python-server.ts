import type { PythonInstall } from '../plan.ts'
import { folderOf, joined, type SourceTree } from '../source-tree.ts'

const NAMES = ['app', 'index', 'main', 'server', 'wsgi', 'asgi', 'application'] as const
const FOLDERS = ['', 'src/', 'app/'] as const

/** Where Python projects list what they need. */
export const PYTHON_MANIFESTS = ['requirements.txt', 'pyproject.toml', 'Pipfile'] as const

/** What is installed of these is the first that is there: what was written for pip, then what is exact, then the rest. */
const PYTHON_LISTS = [
  ...['requirements.txt', 'uv.lock', 'poetry.lock', 'pylock.toml', 'Pipfile.lock'],
  ...['pyproject.toml', 'Pipfile'],
] as const

/** What files of Python code in a folder need, where it says so: by the nearest list of each, that of the folder first. */
export function pythonInstalls(
  tree: SourceTree,
  folder: string,
  files: readonly string[],
): readonly PythonInstall[] {
  const lists = new Set(files.flatMap((file) => nearestList(tree, folderOf(file)) ?? []))
  return [...lists]
    .sort((a, b) => a.split('/').length - b.split('/').length)
    .map((list) => ({ folder, list }))
}

function nearestList(tree: SourceTree, folder: string): string | undefined {
  const list = PYTHON_LISTS.map((name) => joined(folder, name)).find((path) => tree.has(path))
  return list ?? (folder === '' ? undefined : nearestList(tree, folderOf(folder)))
}

/** What is called when somebody asks for a page: an assignment, a definition, or an import under that name. */
const ANSWERS =
  /^(?:(?:app|application)\s*(?::[^=\n]+)?=(?!=)|(?:async\s+)?def\s+(?:app|application)\s*\(|class\s+(?:app|application|handler)\b|from\s+\S+\s+import\s(?:.*\W)?(?:app|application)\b)/m

/** The files, best first, that may hold the `app` of a Python server. One in `api` is a function. */
export function pythonServerEntries(tree: SourceTree): readonly string[] {
  const usual = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}${name}.py`))
  // Django keeps it in the folder of the project, whatever that is called; only with its `manage.py` is that `api`.
  const django = tree.paths
    .filter(
      (path) =>
        path.endsWith('sgi.py') &&
        /^[^/]+\/(?:wsgi|asgi)\.py$/.test(path) &&
        (!path.startsWith('api/') || tree.has('manage.py')),
    )
    .sort()
    .reverse()
  return [...new Set([...usual.filter((path) => tree.has(path)), ...django])]
}

/** Those of them that do hold one; the others may import it in a way that cannot be told without running them. */
export async function pythonApps(tree: SourceTree): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of pythonServerEntries(tree))
    if (ANSWERS.test((await tree.text(path)) ?? '')) found.push(path)
  return found
}
