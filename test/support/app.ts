import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** A small application as people write them, and what its site has to answer. */
export interface App {
  readonly name: string
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly shows: readonly Expectation[]
}

export interface Expectation {
  readonly path: string
  readonly holds: RegExp
  readonly method?: string
  readonly body?: string
  /** Of the request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: RegExp
  readonly status?: number
  /** Headers of the answer. */
  readonly has?: Readonly<Record<string, RegExp>>
}

/** The files of a folder of this repository, but for what it says to people. */
function filesOf(folder: string): App['files'] {
  const root = join(ROOT, folder)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  return Object.fromEntries(
    paths.filter((path) => path !== 'README.md').map((path) => [path, contentOf(join(root, path))]),
  )
}

/** One of `examples`. */
export const example = (name: string): App['files'] => filesOf(join('examples', name))
/** One of `test/apps`. */
export const testApp = (name: string): App['files'] => filesOf(join('test/apps', name))

const contentOf = (path: string): string | Buffer =>
  path.endsWith('.png') ? readFileSync(path) : readFileSync(path, 'utf8')

/** A function that fetches from the package registry. */
export const FETCHING: App['files'] = {
  'api/registry.js': `module.exports = async (req, res) => {
  const answer = await fetch(new URL('is-number/7.0.0', process.env.REGISTRY))
  res.json({ status: answer.status, name: (await answer.json()).name })
}\n`,
}

/** The same in Python. */
export const PYTHON: App['files'] = {
  'api/snake.py': `from http.server import BaseHTTPRequestHandler
import os, urllib.request
class handler(BaseHTTPRequestHandler):
    def do_GET(self):
        with urllib.request.urlopen(os.environ['REGISTRY'] + 'is-number/7.0.0') as answer:
            body = str(answer.status).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'python ' + body)\n`,
}
