import { readFileSync } from 'node:fs'

/** Another one each time that the machine has started; empty where the system does not tell. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
