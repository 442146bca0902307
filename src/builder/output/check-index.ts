import { showLimit } from '#contract/amounts.ts'
import type { Index, IndexPrerender, IndexProgram, PackLimits } from './inside/job.ts'

/** What stands in an index is nothing that the packing script would write. */
export class BadIndex extends Error {
  override readonly name = 'BadIndex'
}

const bad = (why: string): never => {
  throw new BadIndex(why)
}

const MAX_ENV_BYTES = 2 ** 20

/** That everything it names is there once, in bounds, and leads nowhere that it should not. */
export function checkIndex(index: Index, limits: PackLimits): void {
  const { contents, files, functions, programs } = index
  if (files.length > limits.files) bad(`there are more than ${limits.files} files`)
  if (functions.length > limits.functions) bad(`there are more than ${limits.functions} functions`)
  if (programs.length > functions.length) bad('there are programs without a function')
  if (contents.length > files.length + functions.length + programs.length) bad('there are unused contents')
  if (contents.reduce((sum, size) => sum + size, 0) > limits.totalBytes)
    bad(`it has more than ${showLimit(limits.totalBytes)}`)
  const isContent = (content: number) => content < contents.length || bad(`there is no content ${content}`)

  checkPaths(files, 'file')
  checkPaths(functions, 'function')
  for (const { content, contentType } of files) {
    isContent(content)
    checkValue(contentType)
  }
  for (const { program, prerender } of functions) {
    if (program >= programs.length) bad(`there is no program ${program}`)
    if (prerender?.fallback) isContent(prerender.fallback.content)
    if (prerender) checkPrerender(prerender)
  }
  for (const program of programs) {
    isContent(program.archive)
    checkProgram(program, limits)
  }
}

function checkPaths(entries: readonly { readonly path: string }[], kind: string): void {
  const seen = new Set<string>()
  for (const { path } of entries) {
    checkPath(path)
    if (seen.has(path)) bad(`the ${kind} ${show(path)} appears twice`)
    seen.add(path)
  }
}

function checkPath(path: string): void {
  if (path.startsWith('/') || /\p{Cc}/u.test(path) || !path.isWellFormed()) bad(`${show(path)} is not a path`)
  if (/(^|\/)(\.{1,2})?(\/|$)/.test(path)) bad(`${show(path)} has an empty part, or one that points outside`)
}

function checkPrerender({ fallback, initialHeaders = {} }: IndexPrerender): void {
  checkValue(fallback?.contentType)
  for (const [name, value] of Object.entries(initialHeaders)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name)) bad(`${show(name)} is not a header name`)
    checkValue(value)
  }
}

function checkValue(value: string | undefined): void {
  if (value !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    bad(`${show(value)} is not a header value`)
}

const VERSIONS: Readonly<Record<IndexProgram['runtime'], RegExp>> = {
  node: /^(?:8\.10|\d\d)\.x$/,
  bun: /^1\.x$/,
  python: /^3\.\d+$/,
}

function checkProgram(
  { shape, entry, command, env, fileCount, ...program }: IndexProgram,
  limits: PackLimits,
) {
  if ((shape === 'command') !== (command !== undefined)) bad('a command is missing or not allowed')
  if (command?.some((argument) => argument.includes('\0'))) bad('a command contains a zero byte')
  if (shape !== 'command' || entry !== '') checkPath(entry)
  if (!VERSIONS[program.runtime].test(program.version)) bad('a version belongs to another runtime')
  if (fileCount > limits.programFiles) bad(`a program has more than ${limits.programFiles} files`)
  let size = 0
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w{0,255}$/.test(name) || value.includes('\0'))
      bad(`the variable ${show(name)} cannot be set`)
    size += name.length + value.length
  }
  if (size > MAX_ENV_BYTES) bad(`the variables of a program have more than ${showLimit(MAX_ENV_BYTES)}`)
}

const show = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
