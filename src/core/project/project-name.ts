import { invalidRequest } from '#contract/errors.ts'
import { slugify } from '../user/user.ts'

const MAX_NAME = 100
const NAME = /^[a-z0-9._-]{1,100}$/
/** Words that stand in the place of a name in paths. */
const RESERVED: ReadonlySet<string> = new Set(['list', 'ensure-project'])

const invalid = (why: string) => invalidRequest(`\`name\` ${why}`)

export function readProjectName(name: string): string {
  if (!NAME.test(name)) throw invalid(`should be 1 to ${MAX_NAME} of a-z, 0-9, \`.\`, \`_\` and \`-\``)
  if (name.includes('---')) throw invalid('should not contain `---`')
  return usable(name)
}

/** The name that an older client means by any text. */
export const slugOfProject = (text: string): string =>
  usable(slugify(text).slice(0, MAX_NAME).replace(/-+$/, ''))

function usable(name: string): string {
  // Hosts are made of it.
  if (!/[a-z0-9]/.test(name)) throw invalid('should contain a letter or a digit')
  if (RESERVED.has(name)) throw invalid(`should not be \`${name}\`, which is reserved`)
  return name
}
