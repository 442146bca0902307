import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { literals, slowText } from './support/regexp-steps.ts'

const root = resolve(import.meta.dirname, '..')

/** Expressions whose work grows faster than the text, by file, and why that does no harm: what bounds the text. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/dashboard/deploy/review.tsx': 'what somebody types into their own browser',
  'src/core/project/project-name.ts': 'a name of at most 100 characters',
  'src/core/git/branch-alias.ts': 'a name of a branch',
  'src/core/deployment/hosts.ts': 'a name of at most 100 characters',
  'src/core/application/read-application.ts': 'a name of at most 100 characters',
  'src/config/readers.ts': 'a setting of the operator',
  'src/client/call/base-url.ts': 'the URL that somebody names themselves',
  'src/cli/deploy/site-folder.ts': 'the name of somebody’s own folder',
  'src/builder/environment/command/redact.ts': 'base64, which has at most two of them',
  'src/adapters/sandbox-bwrap/network/network-rules.ts': 'the machine’s own resolv.conf',
  'src/adapters/git-host-http/lfs-objects.ts': 'a URL of at most 1000 characters',
  'src/adapters/blob-s3/location.ts': 'a setting of the operator',
  'src/adapters/runner-process/program/unpack.ts': 'a path of the platform’s own archives',
  'src/adapters/sandbox-network/resolver-list.ts': 'the machine’s own resolv.conf',
  'src/builder/output/inside/build-output.ts': 'a path in a build’s own sandbox',
  'src/core/git/push/push-job.ts': 'a root directory of at most 256 characters',
  'src/core/git/source/source.ts': 'a URL of at most 1000 characters',
  'src/core/git/tree/submodules.ts': 'a URL of at most 1000 characters',
  'src/core/git/tree/tree-files.ts': 'a normalized path, in which no slash follows another',
  'src/core/git/tree/untouched.ts': 'a root directory of at most 256 characters',
  'src/core/mail/stranger-text.ts': 'the first 1000 characters',
  'src/core/project/read-settings.ts': 'a folder of at most 256 characters',
  'src/core/ssh-key/public-key.ts': 'a digest of 32 bytes',
  'src/core/user/user.ts': 'a name or an address, a few hundred characters',
  'src/dashboard/deploy/clone-form.tsx': 'what somebody types into their own browser',
  'src/dashboard/setting/domain/domain-dialog.tsx': 'what somebody types into their own browser',
  'src/dashboard/setting/variable/variable-dialog.tsx': 'what somebody types into their own browser',
  'src/edge/function/function-request.ts': 'lines that were found to have a colon',
  'src/process/dev/program-text.ts': 'what somebody’s own program writes, on their own machine',
}

test('the work of every expression grows no faster than the text, unless something bounds that', () => {
  const found: string[] = []
  const known = new Map<string, string | undefined>()
  const unused = new Set(Object.keys(BOUNDED))
  for (const file of globSync('src/**/*.{ts,tsx,mjs,cjs,js}', { cwd: root })) {
    if (/\.test\.|-testing\./.test(file)) continue
    for (const expression of literals(readFileSync(join(root, file), 'utf8'))) {
      const written = String(expression)
      if (!/[*+{]/.test(written)) continue
      if (!known.has(written)) known.set(written, slowText(expression))
      const text = known.get(written)
      if (text === undefined) continue
      unused.delete(file)
      if (!(file in BOUNDED)) found.push(`${file}: ${written} on ${JSON.stringify(text)}`)
    }
  }
  assert.ok(known.size > 400, 'they are found in the sources')
  assert.deepEqual(found, [], 'write it so that it cannot be kept guessing, or name what bounds the text')
  assert.deepEqual([...unused], [], 'these have no such expression any more')
})

test('slow expressions are told from others', () => {
  for (const slow of [
    ...[/(a+)+$/, /\s+$/, /^(?:\d+|\w+)*!/, /(.*),(.*),(.*);/, /a+b/, /^\s*\w*\s*;/, /x*$/g],
    ...[/^(a|a)*$/, /^(?:[^"\\]|\\?.)*"$/s, /(?<=\s+)$/, /^([a-z]+)*\d$/i, /^\p{L}+\d*\p{Lu}*\d*!/u],
  ])
    assert.notEqual(slowText(slow), undefined, String(slow))
  for (const quick of [
    ...[/^\w+$/, /^(?:[^"\\]|\\.)*"$/s, /(?<!\s)\s+$/, /^a+b/, /\d{1,3}\.\d{1,3}$/, /a+b/y, /[^,]+,?/g],
    ...[/^(?:[a-z]+-)*[a-z]+$/, /^[^\s:]+:\s*(\S.*)$/, /(["'])(?:[^"']{0,50})\1/],
  ])
    assert.equal(slowText(quick), undefined, String(quick))
})

test('expressions are found in a source, and divisions are not', () => {
  const source =
    'const a = /x+[/]y/g; const b = c / d // as /no*\nf(/z/.test(g), h => /\\/i*/u) /* and /(no */'
  assert.deepEqual([...literals(source)].map(String), ['/x+[/]y/g', '/z/', '/\\/i*/u'])
})
