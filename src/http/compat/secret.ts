import * as api from '#contract/api/secret.ts'
import { AloftError, noSuch } from '#contract/errors.ts'
import type { CompatContext, CompatRow } from './row.ts'

/** Only what is listed can be looked up: secrets are found in the list, page by page. */
async function find({ call, asked }: CompatContext) {
  const { name = '' } = asked.params
  if (asked.query.decrypt === 'true')
    throw new AloftError('forbidden', 'The value of a secret can’t be read. Only deployments receive it.')
  for (let until: number | null | undefined; until !== null; ) {
    const query = { limit: '100', ...(until === undefined ? {} : { until: String(until) }) }
    const { secrets, pagination } = await call(api.listSecrets, { query })
    const found = secrets.find((one) => one.uid === name) ?? secrets.find((one) => one.name === name)
    if (found) return found
    until = pagination.next
  }
  throw noSuch('secret', name)
}

export const secretRows: readonly CompatRow[] = [
  { on: 'GET /v3{,/now}/secrets', is: api.listSecrets },
  { on: 'GET {/now,/v2,/v2/now,/v3,/v3/now}/secrets/:name', is: api.listSecrets, answer: find },
  // The address has the name of the variable that it is for, and the body its own.
  {
    on: 'POST /v2{,/now}/secrets/:variable',
    is: api.createSecret,
    read: ({ body }) => ({ body: { name: body?.name, value: body?.value } }),
    show: (made) => made,
  },
  // Command lines say the name of the one that they changed, which the earliest answer of ours leaves out.
  { on: 'PATCH {/now,/v3,/v3/now}/secrets/:name', is: api.renameSecret },
  { on: 'DELETE {/now,/v3,/v3/now}/secrets/:name', is: api.deleteSecret },
]
