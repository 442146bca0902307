import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Link } from './link-file.ts'
import { changePrivately } from './private-file.ts'

/**
 * Which links this person made or agreed to on this machine. The link of a folder is a file in it, and a folder that
 * came from elsewhere brings whatever its author put there, such as the id of somebody's project.
 */
export interface LinkedFolders {
  knows(folder: string, link: Link): boolean
  /** What cannot be written is not remembered: the person is asked again. */
  remember(folder: string, link: Link): void
}

/** Folders that were removed since are forgotten first, and then those that were linked longest ago. */
const MOST = 10_000

type LinksByFolder = Readonly<Record<string, string>>

/** Kept beside the logins. */
export function openLinkedFolders(authPath: string): LinkedFolders {
  const path = join(dirname(authPath), 'linked-folders.json')
  return {
    knows: (folder, link) => read(path)[realpathSync(folder)] === textOf(link),
    remember(folder, link) {
      try {
        changePrivately(path, () => {
          const { [realpathSync(folder)]: _before, ...others } = read(path)
          const kept = Object.entries(others).filter(([other]) => existsSync(other))
          const known = [...kept, [realpathSync(folder), textOf(link)]].slice(-MOST)
          return `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`
        })
      } catch {}
    },
  }
}

const textOf = ({ projectId, teamId, baseUrl }: Link): string =>
  JSON.stringify([projectId, teamId, baseUrl ?? null])

/** A file that cannot be read says of no folder that it is known. */
function read(path: string): LinksByFolder {
  try {
    const known: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof known === 'object' && known !== null) return Object.assign(Object.create(null), known)
  } catch {}
  return {}
}
