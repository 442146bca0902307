import { setTimeout as pause } from 'node:timers/promises'

/** What is looked for, once it is there: looks again and again. The runner of tests ends what never comes. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await pause(50)
  }
}
