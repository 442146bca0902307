import { readFile, rm, writeFile } from 'node:fs/promises'

/** The interfaces that forward because of us, so that this is known and undone even after a crash. */
const NOTE = '/run/aloft-forwarding'

const switchOf = (name: string) => `/proc/sys/net/ipv4/conf/${name}/forwarding`

const noted = async (): Promise<readonly string[]> =>
  (await readFile(NOTE, 'utf8').catch(() => '')).split('\n').filter(Boolean)

/** Lets each interface pass packets on; answers those that would not without us. */
export async function openForwarding(names: readonly string[]): Promise<readonly string[]> {
  const ours = new Set(await noted())
  for (const name of names) {
    if ((await readFile(switchOf(name), 'utf8')).trim() === '1') continue
    ours.add(name)
    await writeFile(NOTE, [...ours].join('\n'))
    await writeFile(switchOf(name), '1')
  }
  return names.filter((name) => ours.has(name))
}

export async function restoreForwarding(): Promise<void> {
  for (const name of await noted()) await writeFile(switchOf(name), '0').catch(() => {})
  await rm(NOTE, { force: true })
}

/** The sandbox's end of a run's own link; it goes with the link. */
export const forwardFrom = (name: string): Promise<void> => writeFile(switchOf(name), '1')
