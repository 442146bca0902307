import { accountApi } from '../account.ts'
import { defineCommand, flag, value } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { showList } from '../output/show-list.ts'
import type { Item } from './item.ts'
import { planImport } from './plan.ts'
import { openSource } from './source.ts'

const STATES = { new: 'will be imported', there: 'already here', cannot: 'skipped' } as const

export const command = defineCommand({
  doing: 'import the account',
  about:
    'Reads an account through its API and creates what is missing here. Without --yes, only shows what it would do. You can stop and run it again: existing items are not created twice.',
  options: {
    from: value('address', 'API URL of the source; defaults to Vercel'),
    fromToken: value('token', 'API token of the source; defaults to VERCEL_TOKEN'),
    fromTeam: value('id', 'team to import from; defaults to the personal account'),
    project: value('name', 'import only this project'),
    yes: flag('run the import instead of previewing it'),
  },
  examples: [
    ['import vercel --from-token $VERCEL_TOKEN', 'preview the import'],
    ['import vercel --from-token $VERCEL_TOKEN --yes', 'run the import'],
    [
      'import vercel --from https://api.old.example --from-token $TOKEN --yes',
      'import from another Aloft installation',
    ],
  ],
  async run(cli, { from, fromToken, fromTeam, project, yes }) {
    const { out } = cli
    const token = fromToken ?? cli.env.VERCEL_TOKEN
    if (token === undefined)
      throw usageError('The API token of the source is missing.', 'Pass it with --from-token.')
    const api = await accountApi(cli)
    const source = openSource({ url: from ?? 'https://api.vercel.com', token, team: fromTeam })
    const items = await planImport(source, api, {
      only: project,
      onRead: (what) => out.status(`Reading ${plainText(what)}`),
    })
    out.status()
    const failed = new Map<Item, string>()
    const todo = items.filter(({ state }) => state === 'new')
    if (yes)
      for (const [at, item] of todo.entries()) {
        const line = `${at + 1} of ${todo.length}: ${item.kind} ${plainText(item.name)}`
        if (out.live) out.status(line)
        else if (!out.json) out.say(line)
        const tell = (progress: string) => out.status(`${line}  ${plainText(progress)}`)
        await item.make?.(tell).catch((error: Error) => failed.set(item, error.message))
      }
    out.status()
    const said = (item: Item): string =>
      failed.has(item)
        ? `failed: ${failed.get(item)}`
        : item.state === 'new' && yes
          ? 'imported'
          : `${STATES[item.state]}${item.why === undefined ? '' : `: ${item.why}`}`
    const shown = items.map((item) => ({ kind: item.kind, name: item.name, result: said(item) }))
    showList(cli, shown, {
      items: shown,
      head: ['kind', 'name', ''],
      row: ({ kind, name, result }) => [kind, plainText(name), plainText(result)],
      empty: 'Nothing to import.',
    })
    if (!yes && todo.length > 0 && !out.json) out.say('Nothing was changed. Add --yes to run the import.')
    if (failed.size > 0)
      throw new CliError(
        EXIT.failure,
        `${failed.size} of ${todo.length} could not be imported.`,
        'Run the command again: imported items are not created twice.',
      )
  },
})
