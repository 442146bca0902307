import { ENV_TARGETS } from '#contract/api/env-variable.ts'
import { oneOf } from '../command.ts'

const named = oneOf(ENV_TARGETS)

/** `production`, `preview`, `development`, or the id of an environment of one's own. */
export const readTarget = (text: string): string =>
  /^env_[0-9A-Za-z]{1,60}$/.test(text) ? text : named(text)
