import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { listTokens } from '#contract/api/token.ts'
import { CliError, EXIT } from '../exit.ts'

/** As much of an id as listings show. */
export const shortId = (id: string): string => id.slice(0, 12)

const isWhole = (text: string) => text === 'current' || /^[0-9a-f]{64}$/.test(text)

/** The whole id from its beginning. The beginning has to be long enough not to be hit by chance. */
export async function resolveTokenId(api: Client, text: string): Promise<string> {
  if (isWhole(text) || !/^[0-9a-f]{8,63}$/.test(text)) return text
  const [id, another] = await everyPage(
    (query) => api.call(listTokens, { query }),
    ({ tokens }) => tokens.map(({ id }) => id).filter((id) => id.startsWith(text)),
  )
  if (id === undefined) throw missing(`None of your tokens has an id that starts with ${text}.`)
  if (another !== undefined) throw missing(`Several of your tokens have an id that starts with ${text}.`)
  return id
}

const missing = (message: string) =>
  new CliError(EXIT.notFound, message, 'See the full ids with `aloft tokens ls --json`.')
