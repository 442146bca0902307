import { readFile, rm, writeFile } from 'node:fs/promises'

/** The interfaces that forward because of us, so that this is known and undone even after a crash. */
const NOTE = '/run/aloft-forwarding'

const switchOf = (name: string) => `/proc/sys/net/ipv4/conf/${name}/forwarding`

const noted = async (): Promise<readonly string[]> =>
  (await readFile(NOTE, 'utf8').catch(() => '')).split('\n').filter(Boolean)

/** Those of the interfaces that do not pass packets on, or only because of us. */
export async function closedWithoutUs(names: readonly string[]): Promise<readonly string[]> {
  const ours = await noted()
  const closed: string[] = []
  for (const name of names)
    if (ours.includes(name) || (await readFile(switchOf(name), 'utf8')).trim() === '0') closed.push(name)
  return closed
}

export async function openForwarding(names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await writeFile(NOTE, [...new Set([...(await noted()), ...names])].join('\n'))
  for (const name of names) await writeFile(switchOf(name), '1')
}

export async function restoreForwarding(): Promise<void> {
  for (const name of await noted()) await writeFile(switchOf(name), '0').catch(() => {})
  await rm(NOTE, { force: true })
}

/** The sandbox's end of a run's own link; it goes with the link. */
export const forwardFrom = (name: string): Promise<void> => writeFile(switchOf(name), '1')
