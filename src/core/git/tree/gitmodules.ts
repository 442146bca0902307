/** A submodule as the file `.gitmodules` describes it. */
interface GitModule {
  readonly path: string
  readonly url: string
}

export interface GitModules {
  readonly byPath: ReadonlyMap<string, GitModule>
  /** What was refused, in words. */
  readonly problems: readonly string[]
}

const SECTION = /^\[submodule "((?:[^"\\]|\\.)*)"\]$/
const LINE = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/
const MAX_MODULES = 200
const MAX_TEXT = 1000

/**
 * Reads the file `.gitmodules`. It is whatever somebody wrote into a repository, so nothing of it is handed to git before
 * it was looked at: names that leave a folder, and addresses that git would take for an option, are refused.
 */
export function readGitmodules(text: string): GitModules {
  const sections: { name: string; path?: string; url?: string }[] = []
  const problems: string[] = []
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const section = SECTION.exec(line)
    if (section) {
      sections.push({ name: (section[1] ?? '').replaceAll(/\\(.)/gs, '$1') })
      continue
    }
    const at = sections.at(-1)
    const [, key = '', value = ''] = LINE.exec(line) ?? []
    if (line.startsWith('[')) sections.push({ name: '' })
    else if (at && key.toLowerCase() === 'path') at.path = unquoted(value)
    else if (at && key.toLowerCase() === 'url') at.url = unquoted(value)
  }
  const byPath = new Map<string, GitModule>()
  for (const { name, path, url } of sections) {
    if (path === undefined || url === undefined) continue
    const why = byPath.size >= MAX_MODULES ? `there are more than ${MAX_MODULES}` : faultOf(name, path, url)
    if (why === undefined) byPath.set(path, { path, url })
    else problems.push(`A submodule in .gitmodules was refused: ${why}.`)
  }
  return { byPath, problems }
}

/** Values of git's configuration: a comment ends them, quotes keep what is in them. */
function unquoted(value: string): string {
  let [text, isQuoted] = ['', false]
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at)
    if (char === '"') isQuoted = !isQuoted
    else if (char === '\\') {
      at += 1
      const next = value.charAt(at)
      text += { n: '\n', t: '\t', b: '\b' }[next] ?? next
    } else if (!isQuoted && (char === '#' || char === ';')) break
    else text += char
  }
  return text.trim()
}

const leaves = (path: string): boolean => path.split(/[\\/]/).some((part) => part === '..' || part === '.git')

function faultOf(name: string, path: string, url: string): string | undefined {
  if ([name, path, url].some((text) => /\p{Cc}/u.test(text))) return 'it contains control characters'
  if ([name, path, url].some((text) => text.length > MAX_TEXT)) return 'it is too long'
  if (name === '' || leaves(name)) return 'its name points outside the repository'
  if (path === '' || path.startsWith('/') || leaves(path)) return 'its path points outside the repository'
  if ([path, url].some((text) => text.startsWith('-'))) return 'it starts with a dash'
  return undefined
}
