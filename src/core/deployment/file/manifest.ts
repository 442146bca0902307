import type { Hash } from 'node:crypto'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { inSlices, sortInSlices } from '../../slices.ts'
import { FilesHash } from '../create/digest.ts'
import { SortedFiles } from './sorted-files.ts'

/** One file of a deployment. */
export interface ManifestFile {
  readonly path: string
  readonly sha1: string
  readonly sha256: string
  readonly size: number
  readonly mode: number
  /** Source that no build serves. */
  readonly hidden?: true
}

/**
 * A file that was uploaded before. Its SHA-256 is empty until the content is found, and is then filled in: the one object that there
 * is of it becomes the one of the manifest.
 */
interface ReferencedFile extends ManifestFile {
  sha256: string
}

/** A file that is inside the request. Its SHA-1 is empty until the content is stored. */
export interface InlineFile {
  readonly path: string
  readonly mode: number
  sha1: string
  readonly size: number
  readonly bytes: Buffer
}

/** A file as a create request names it. */
export type RequestedFile = ReferencedFile | InlineFile

export interface RequestedFiles {
  readonly all: SortedFiles<RequestedFile>
  readonly inline: readonly InlineFile[]
  /** See `digest.ts`. Undefined where some are inline, whose SHA-1 nobody knows yet. */
  readonly hash: Hash | undefined
}

export interface FileInput {
  readonly file: string
  readonly data?: string
  readonly encoding?: 'base64' | 'utf-8'
  readonly sha?: string
  readonly size?: number
  readonly mode?: number
}

export const MAX_FILES = 100_000
/** Each of them is one on the disk where the deployment is built, however little of the request it takes. */
const MAX_FOLDERS = 250_000
const MAX_PATH = 1024
const REGULAR = 0o100000
const TYPE_BITS = 0o170000
export const DEFAULT_MODE = 0o100644
export const DIRECTORY_MODE = 0o040755

/** Every path once, none that could leave the deployment's folder, none that is both a file and a folder. */
export async function readFiles(inputs: readonly FileInput[]): Promise<RequestedFiles> {
  if (inputs.length === 0) throw new AloftError('no_files', 'The deployment has no files.')
  if (inputs.length > MAX_FILES) throw invalidRequest(`\`files\` should have at most ${MAX_FILES} items`)
  const list: RequestedFile[] = []
  const inline: InlineFile[] = []
  await inSlices(inputs, (input) => {
    const i = list.length
    checkPath(input.file, i)
    const file = readFile(input, i)
    list.push(file)
    if ('bytes' in file) inline.push(file)
  })
  const all = new SortedFiles(list, await sortInSlices(list, byPath))
  const hash = inline.length === 0 ? new FilesHash() : undefined
  await checkTogether(all, hash)
  return { all, inline, hash: hash?.end() }
}

const byPath = (a: RequestedFile, b: RequestedFile): number => (a.path < b.path ? -1 : 1)

/** What is none of it needs no other look: hardly any path has a control character, half of a pair, or such a part. */
const DOUBTFUL = /[\p{Cc}\p{Cs}]|(?:^|\/)\.{0,2}(?:\/|$)/u

function checkPath(path: string, i: number): void {
  if (path.length <= MAX_PATH && !DOUBTFUL.test(path)) return
  const refused = (why: string) => invalidRequest(`\`files[${i}].file\` ${why}`)
  if (path === '') throw refused('should not be empty')
  if (path.length > MAX_PATH) throw refused(`should be at most ${MAX_PATH} characters long`)
  if (path.startsWith('/')) throw refused('should not start with `/`')
  if (/\p{Cc}/u.test(path) || !path.isWellFormed()) throw refused('contains control characters')
  throw refused(`should not have empty, \`.\` or \`..\` parts: ${show(path)}`)
}

function readFile(input: FileInput, i: number): RequestedFile {
  const { file: path, data, sha, size } = input
  const mode = readMode(input.mode, i)
  if ((data === undefined) === (sha === undefined))
    throw invalidRequest(`\`files[${i}]\` should have either \`data\` or \`sha\``)
  if (data !== undefined) {
    const bytes = readData(data, input.encoding, i)
    return { path, mode, sha1: '', size: bytes.length, bytes }
  }
  if (size === undefined) throw invalidRequest(`missing required property \`files[${i}].size\``)
  return { path, mode, sha1: sha as string, sha256: '', size }
}

function readMode(mode: number | undefined, i: number): number {
  if (mode === undefined) return DEFAULT_MODE
  const type = mode & TYPE_BITS
  if (mode < 0 || mode > 0o177777 || (type !== REGULAR && type !== 0))
    throw invalidRequest(`\`files[${i}].mode\` should be the mode of a regular file`)
  return REGULAR | (mode & 0o777)
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}\s*$/

function readData(data: string, encoding: FileInput['encoding'], i: number): Buffer {
  if (encoding !== 'base64') return Buffer.from(data, 'utf8')
  const bytes = Buffer.from(data, 'base64')
  // Node skips what is not base64; content that would silently change is refused instead.
  if (!BASE64.test(data.replace(/\s/g, ''))) throw invalidRequest(`\`files[${i}].data\` is not base64`)
  return bytes
}

/**
 * Neighbours in the order of paths are mostly in one folder, which is looked at once. In that order each path comes from elsewhere in
 * memory, which takes longer than to look at it: so there is one pass for all that needs it.
 */
async function checkTogether(files: SortedFiles<RequestedFile>, hash: FilesHash | undefined): Promise<void> {
  const folders = new Set<string>()
  let [last, lastFolder] = ['', '']
  await inSlices(files.sorted, (file) => {
    const { path } = file
    hash?.add(file)
    if (path === last) throw repeated(path, files.list)
    last = path
    const length = path.lastIndexOf('/') + 1
    if (length === lastFolder.length && path.startsWith(lastFolder)) return
    lastFolder = path.slice(0, length)
    refuseFileAsFolder(path, files, folders)
  })
}

function repeated(path: string, list: readonly RequestedFile[]): AloftError {
  const paths = list.map((file) => file.path)
  const second = paths.indexOf(path, paths.indexOf(path) + 1)
  return invalidRequest(`\`files[${second}].file\` repeats ${show(path)}`)
}

/** `folders`: those that were looked at before, with all that they are in. */
function refuseFileAsFolder(
  path: string,
  files: Pick<SortedFiles<RequestedFile>, 'has'>,
  folders: Set<string>,
): void {
  let both: string | undefined
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const folder = path.slice(0, slash)
    if (folders.has(folder)) break
    folders.add(folder)
    if (folders.size > MAX_FOLDERS)
      throw invalidRequest(`\`files\` should be in at most ${MAX_FOLDERS} folders`)
    if (files.has(folder)) both = folder
  }
  if (both !== undefined)
    throw invalidRequest(`\`files\` contains ${show(both)} both as a file and as a folder`)
}

const show = (path: string): string => JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path)
