import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ApiError } from '#client/api-error.ts'
import { createDnsRecord, isRecordType } from '#contract/api/dns-record.ts'
import { count } from '#contract/words/wording.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { allRecords } from './records.ts'
import { readZoneFile, type ZoneRecord } from './zone-file.ts'

const MOST = 1024 * 1024

export const command = defineCommand({
  doing: 'import the zone file',
  about: 'Adds missing records. Unsupported types (SOA, NS and others) are skipped, and nothing is deleted.',
  arguments: { domain: required('the domain'), file: required('zone file in the standard format') },
  examples: [
    ['dns import example.com example.com.zone', 'review the new records, then confirm'],
    ['dns import example.com example.com.zone --yes', 'without confirmation'],
  ],
  hints: { not_found: 'Add the domain first: aloft domains add <domain>' },
  async run(cli, { domain, file }) {
    const { out } = cli
    const zone = domain.toLowerCase().replace(/\.$/, '')
    const wanted = readZone(resolve(cli.cwd, file), file, zone)
    const api = await accountApi(cli)
    const known = new Set((await allRecords(api, zone)).map(keyOf))
    const skipped = wanted.filter(({ type }) => !isRecordType(type))
    const kept = wanted
      .filter((record) => !skipped.includes(record))
      .map((record) => ({ ...record, name: below(record, zone) }))
    const present = kept.filter((record) => known.has(keyOf(record)))
    const missing = kept.filter((record) => !present.includes(record))
    if (skipped.length > 0 && !out.json) out.say(`Skipped: ${plainText(skipped.map(describe).join('; '))}.`)
    if (missing.length > 0) {
      if (!out.json) for (const record of missing) out.say(`  + ${plainText(describe(record))}`)
      await cli.prompt.confirm(`Add ${count(missing.length, 'record')} to ${plainText(zone)}?`)
    }
    const added: string[] = []
    for (const { name, type, value, line } of missing) {
      try {
        const { uid } = await api.call(createDnsRecord, {
          params: { domain: zone },
          body: { name, type, value },
        })
        added.push(uid)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        if (error.code === 'record_conflict') present.push({ name, type, value, line })
        else
          throw new CliError(
            EXIT.failure,
            `Line ${line} of ${file}: ${error.message} Added before it: ${count(added.length, 'record')}.`,
            'Fix the line and run it again: existing records are not added twice.',
          )
      }
    }
    out.show(
      { added, present, skipped },
      () => `Added ${count(added.length, 'record')}; already there: ${present.length}.`,
    )
  },
})

function readZone(path: string, file: string, zone: string): ZoneRecord[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError(EXIT.failure, `${file} cannot be read: ${(error as Error).message}.`)
  }
  if (text.length > MOST) throw usageError(`${file} is too large for a zone file.`)
  try {
    return readZoneFile(text, zone)
  } catch (error) {
    throw usageError(`${file} is not a valid zone file: ${(error as Error).message}.`)
  }
}

const describe = ({ name, type, value }: Pick<ZoneRecord, 'name' | 'type' | 'value'>): string =>
  `${name || '@'} ${type} ${value}`

const keyOf = ({ name, type, value }: Pick<ZoneRecord, 'name' | 'type' | 'value'>): string =>
  JSON.stringify([name, type, value])

/** The name as the API takes it: below the domain. */
function below({ name, line }: ZoneRecord, zone: string): string {
  if (name === zone) return ''
  if (!name.endsWith(`.${zone}`)) throw usageError(`Line ${line}: ${name} is not in ${zone}.`)
  return name.slice(0, -zone.length - 1)
}
