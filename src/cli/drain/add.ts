import { createDrain, DRAIN_ENVIRONMENTS, DRAIN_FORMATS, DRAIN_SOURCES } from '#contract/api/drain.ts'
import { getProject } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, flag, oneOf, required, value, values } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

const readShare = (text: string): number => {
  const share = /^(?:0?\.\d{1,9}|1(?:\.0*)?)$/.test(text) ? Number(text) : 0
  if (share <= 0) throw new TypeError(`"${text}" should be more than 0 and at most 1, as in 0.1`)
  return share
}

const readHeader = (text: string): readonly [string, string] => {
  const [, name, content] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? []
  if (name === undefined || content === undefined)
    throw new TypeError(`"${text}" should be a name and a value, as in "x-api-key: abc"`)
  return [name, content]
}

export const command = defineCommand({
  doing: 'create the log drain',
  about:
    'Sends log entries to a URL as they are written. The endpoint must first answer a verification request; if it does not, the error explains how.',
  arguments: { url: required('URL to send entries to, https://…') },
  options: {
    name: value('name', 'display name; defaults to the host of the URL'),
    format: value('format', `${DRAIN_FORMATS.join(', ')}; defaults to the first`, oneOf(DRAIN_FORMATS)),
    project: values('id or name', 'only entries of this project; can be repeated', (text) => text),
    source: values(
      'source',
      `only entries of ${DRAIN_SOURCES.join(', ')}; can be repeated`,
      oneOf(DRAIN_SOURCES),
    ),
    environment: values(
      'name',
      `only entries of ${DRAIN_ENVIRONMENTS.join(' or ')}`,
      oneOf(DRAIN_ENVIRONMENTS),
    ),
    header: values('name: value', 'sent with every batch; can be repeated', readHeader),
    sign: flag('sign requests with a secret from stdin or a prompt'),
    samplingRate: value('share', 'fraction of requests to send entries for, such as 0.1', readShare),
  },
  examples: [
    ['drains add https://logs.example.com/in', 'everything, as JSON'],
    [
      'drains add https://logs.example.com/in --format ndjson --project shop --source lambda',
      'only function logs of one project',
    ],
    ['drains add https://logs.example.com/in --sign < secret.txt', 'signed'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { url, name, format = 'json', source, environment, header, sign, samplingRate } = given
    const { out } = cli
    const api = await accountApi(cli)
    const projectIds: string[] = []
    for (const idOrName of given.project)
      projectIds.push((await api.call(getProject, { params: { idOrName } })).id)
    const secret = sign
      ? await cli.prompt.secret('Signing secret:', `aloft drains add ${url} --sign < file`)
      : undefined
    const created = await api.call(createDrain, {
      body: {
        name: name ?? URL.parse(url)?.host ?? 'logs',
        url,
        deliveryFormat: format,
        ...(projectIds.length === 0 ? {} : { projectIds }),
        ...(source.length === 0 ? {} : { sources: [...source] }),
        ...(environment.length === 0 ? {} : { environments: [...environment] }),
        ...(header.length === 0 ? {} : { headers: Object.fromEntries(header) }),
        ...(secret === undefined ? {} : { secret }),
        ...(samplingRate === undefined ? {} : { samplingRate }),
      },
    })
    if (!out.json) out.say(`Created the log drain ${plainText(created.name)}.`)
    out.show(created, () => created.id)
  },
})
