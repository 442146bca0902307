import { NEVER } from '#client/deploy/left-out.ts'
import type { MemoryFile } from '#client/deploy/memory-file.ts'
import { showLimit } from '#contract/amounts.ts'
import { MAX_FOUND, SelectionError, tooMany } from './selection.ts'
import { checksumsOf, crc32 } from './zip-checksums.ts'

/** All of it has to fit into the memory of a page. */
const MAX_BYTES = 500_000_000
const STORED = 0
const DEFLATED = 8

const tooLarge = () =>
  new SelectionError(
    `This .zip file contains more than ${showLimit(MAX_BYTES)}, which is too much for the browser. Unpack it and choose the folder.`,
  )

/** The path of an entry, or undefined for what no site needs: folders, leftovers of macOS, version control. */
function pathOf(name: string): string | undefined {
  const path = name.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')
  const parts = path.split('/')
  if (path === '' || path.endsWith('/') || parts[0] === '__MACOSX') return undefined
  if (parts.some((part) => NEVER.has(part))) return undefined
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new SelectionError(`The .zip file contains “${name.slice(0, 100)}”, a path outside of it.`)
  return path
}

const damaged = () => new SelectionError('This file can’t be read. It’s damaged or not a .zip file.')

/**
 * The files of a zip. How much they come to is bounded before any is unpacked, by what it says of itself; where it lied,
 * what comes out is cut, and not what its checksum says.
 */
export async function readZip(zip: Pick<Blob, 'size' | 'arrayBuffer'>): Promise<MemoryFile[]> {
  if (zip.size > MAX_BYTES) throw tooLarge()
  const { unzipSync } = await import('fflate')
  const packed = new Uint8Array(await zip.arrayBuffer())
  let [count, bytes, packedBytes] = [0, 0, 0]
  const paths = new Map<string, string>()
  const [entries, checksums] = (() => {
    try {
      const entries = unzipSync(packed, {
        filter({ name, size, originalSize, compression }) {
          const path = pathOf(name)
          if (path === undefined) return false
          if (compression !== STORED && compression !== DEFLATED)
            throw new SelectionError(
              `“${name.slice(0, 100)}” uses a compression method that browsers can’t read.`,
            )
          paths.set(name, path)
          bytes += originalSize
          packedBytes += size
          if (++count > MAX_FOUND) throw tooMany()
          // Entries that share their bytes are how small zips become endless.
          if (bytes > MAX_BYTES || packedBytes > packed.length) throw tooLarge()
          return true
        },
      })
      return [entries, checksumsOf(packed)] as const
    } catch (error) {
      if (error instanceof SelectionError) throw error
      throw damaged()
    }
  })()
  return Object.entries(entries).flatMap(([name, content]) => {
    const path = paths.get(name)
    if (path !== undefined && checksums.get(name) !== crc32(content)) throw damaged()
    return path === undefined ? [] : [{ path, size: content.length, bytes: () => content }]
  })
}
