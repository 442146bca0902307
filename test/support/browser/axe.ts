import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const once = readFileSync(join(import.meta.dirname, 'axe-once.js'), 'utf8')

/** Appearances of texts that were legible in both themes, of all pages of this process: most texts of a page look like these. */
const legible = new Set<number>()

/** What keeps some people out, by these rules. */
export async function violations(page: Page, rules: object): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe};${once};0`)
  const found = await page.evaluate<{ readonly violations: string[]; readonly legible: number[] }>(
    `lookWithAxe(${JSON.stringify(rules)}, ${JSON.stringify([...legible])})`,
  )
  for (const appearance of found.legible) legible.add(appearance)
  return found.violations
}
