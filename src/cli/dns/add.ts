import { createDnsRecord, RECORD_TYPES } from '#contract/api/dns-record.ts'
import { accountApi } from '../account.ts'
import { defineCommand, oneOf, oneOrMore, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'add the DNS record',
  arguments: {
    domain: required('the domain'),
    name: required('subdomain, such as www; @ for the domain itself'),
    type: required(RECORD_TYPES.join(', '), oneOf(RECORD_TYPES)),
    value: oneOrMore('value of the record, in the format of its type'),
  },
  examples: [
    ['dns add example.com www A 192.0.2.1', 'an IP address'],
    ['dns add example.com @ MX 10 mail.example.com', 'a mail server and its priority'],
    ['dns add example.com _sip._tcp SRV 10 5 5060 sip.example.com', 'priority, weight, port and target'],
    ['dns add example.com @ TXT "v=spf1 -all"', 'a text record'],
  ],
  hints: {
    not_found: 'Add the domain first: aloft domains add <domain>',
    record_conflict: 'List its records with `aloft dns ls <domain>`.',
  },
  async run(cli, { domain, name, type, value }) {
    const { out } = cli
    const api = await accountApi(cli)
    const text = value.join(' ')
    const { uid } = await api.call(createDnsRecord, { params: { domain }, body: { name, type, value: text } })
    if (!out.json) out.say(`Added ${type} ${plainText(text)} on ${plainText(name)} of ${plainText(domain)}.`)
    out.show({ uid, name, type, value: text }, () => uid)
  },
})
