import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseZone } from './parse-zone.ts'

const ZONE = `$ORIGIN shop.example.
$TTL 3600
@ 3600 IN SOA ns1.old.example. admin.old.example. (
    2026010101 ; serial
    7200 3600 1209600 3600 )
@        IN NS  ns1.old.example.
@        IN A   192.0.2.1
         IN A   192.0.2.2
www 300  IN CNAME @
mail.shop.example. A 192.0.2.3
@  MX 10 mail
@  TXT "v=spf1 include:_spf.example; -all" " more"
_sip._tcp 60 SRV 1 2 5060 sip.other.example.
@ CAA 0 issue "letsencrypt.org"
other.example. A 192.0.2.9
x HINFO a b
`

test('a zone file becomes records below the domain, and the rest is told', () => {
  const { records, left } = parseZone(ZONE, 'shop.example')
  assert.deepEqual(
    records.map(({ name, type, value }) => [name, type, value]),
    [
      ['', 'A', '192.0.2.1'],
      ['', 'A', '192.0.2.2'],
      ['www', 'CNAME', 'shop.example'],
      ['mail', 'A', '192.0.2.3'],
      ['', 'MX', '10 mail.shop.example'],
      ['', 'TXT', 'v=spf1 include:_spf.example; -all more'],
      ['_sip._tcp', 'SRV', '1 2 5060 sip.other.example'],
      ['', 'CAA', '0 issue "letsencrypt.org"'],
    ],
  )
  assert.deepEqual(
    left.map(({ line }) => line),
    [3, 6, 15, 16],
  )
})
