import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDestination, resolveDestination } from './destination.ts'
import { toUrl } from './url-template.ts'

const names = new Map([['name', 1]])

function resolve(dest: string, ...groups: (string | undefined)[]): string | undefined {
  const read = readDestination(dest, names)
  assert.ok(read.ok, read.ok ? '' : read.reason)
  const parts = resolveDestination(read.destination, groups)
  return parts && toUrl(parts)
}

const RESOLVED: readonly (readonly [
  dest: string,
  groups: readonly string[],
  url: string | undefined,
  why: string,
])[] = [
  ['/a/$1.html', ['b/c'], '/a/b/c.html', 'a path'],
  ['a.html', [], '/a.html', 'a path gets its leading slash'],
  ['$1', ['/x/y'], '/x/y', 'a path that is a group'],
  ['/$1', ['/x'], '/x', 'slashes are not doubled'],
  ['/caf%C3%A9 x', [], '/café x', 'a path is decoded'],
  ['/café', [], '/café', 'a path may be written decoded'],
  ['/a?name=$1&x=1#f', ['a&b=c d/e'], '/a?name=a%26b%3Dc%20d%2Fe&x=1#f', 'a group cannot add to the query'],
  ['/a?p=$1', ['x%2Fy'], '/a?p=x%2Fy', 'an escape that was kept is one escape in the query too'],
  ['/$1', ['what?x=1#y'], '/what?x=1#y', 'a captured question mark stays part of the path'],
  ['/pub/$1', ['../secret'], undefined, 'a group cannot climb'],
  ['/pub$1', ['/../secret'], undefined, 'a group cannot climb with its own slash'],
  ['/x$1/y', ['/.'], undefined, 'a group cannot stand still'],
  ['https://example.com/a/$1', ['b c/é'], 'https://example.com/a/b%20c/%C3%A9', 'a URL is encoded'],
  ['HTTPS://Example.com', [], 'https://example.com', 'scheme and host are case-insensitive'],
  ['https://example.com$1', ['/a'], 'https://example.com/a', 'a group after the host begins the path'],
  ['https://example.com$1', [''], 'https://example.com', 'or is empty'],
  ['https://example.com$1', ['.evil.org/'], undefined, 'but never goes on with the host'],
  ['https://example.com$1', ['@evil.org'], undefined, 'nor makes the host a user name'],
  ['https://example.com$1', [':8080'], undefined, 'nor adds a port'],
  ['https://example.com/$1', ['?a#b'], 'https://example.com/%3Fa%23b', 'a group cannot end the path'],
  ['https://example.com/v1/$1', ['..%2Fadmin'], undefined, 'a group cannot climb by an escaped slash'],
  ['https://$name.example.com/', ['blue'], 'https://blue.example.com/', 'a group may be a subdomain'],
  ['https://$name.example.com/', ['evil.org/'], undefined, 'but nothing that ends the host'],
  ['https://$name.example.com/', ['evil.org#'], undefined, 'by no delimiter'],
  ['https://$name.example.com/', [''], undefined, 'nor nothing at all'],
  ['https://example.com:8443/$1?k=$1', ['a'], 'https://example.com:8443/a?k=a', 'a port'],
  ['https://b\u00fccher.example/', [], 'https://xn--bcher-kva.example/', 'an international name'],
  ['http://0x7f.1/', [], 'http://127.0.0.1/', 'an address in disguise'],
  ['https://[::1]:3000/', [], 'https://[::1]:3000/', 'an address'],
  ['/$1', ['x'.repeat(20_000)], undefined, 'nothing gets too long'],
]

for (const [dest, groups, url, why] of RESOLVED)
  test(`dest ${dest} with ${JSON.stringify(groups).slice(0, 40)}: ${why}`, () =>
    assert.equal(resolve(dest, ...groups), url))

const REFUSED: readonly (readonly [dest: string, reason: RegExp])[] = [
  ['', /empty/],
  [`/${'a'.repeat(4096)}`, /longer than 4096/],
  ['//evil.org/x', /path or a URL/],
  ['ftp://example.com/', /path or a URL/],
  ['/a/../b', /\. or \.\./],
  ['./a', /\. or \.\./],
  ['/a/%2e%2E/b', /\. or \.\./],
  ['https://example.com/a/../b', /\. or \.\./],
  ['https://$1/', /literal and not come from a group/],
  ['https://$1', /literal and not come from a group/],
  ['https://$1example.com/', /followed by a domain/],
  ['https://$1.example.com:$2/', /followed by a domain/],
  ['https://user:pass@example.com/', /user name or password/],
  ['https:///x', /host/],
  ['https://exa mple.com/', /not a valid host/],
  ['https://example.com:99999/', /not a valid host/],
]

for (const [dest, reason] of REFUSED)
  test(`dest ${dest.slice(0, 40)} is refused with a reason`, () => {
    const read = readDestination(dest, names)
    assert.ok(!read.ok)
    assert.match(read.reason, reason)
  })
