import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { run } from '#cli/run.ts'
import { startServer } from '#test/support/server.ts'

const server = await startServer()
const home = mkdtempSync(join(tmpdir(), 'aloft-cli-'))
after(async () => {
  await server.close()
  rmSync(home, { recursive: true })
})
const { token } = await server.signUp()

/** One command line against the real API: its result, read as JSON. */
async function aloft(line: string, input = '') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const written = Promise.all([text(stdout), text(stderr)])
  stdin.end(input)
  const code = await run({
    argv: [...line.split(' '), '--json', '--yes'],
    env: { HOME: home, ALOFT_BASE_URL: server.url, ALOFT_TOKEN: token },
    cwd: home,
    stdin,
    stdout,
    stderr,
  })
  stdout.end()
  stderr.end()
  const [out, talk] = await written
  assert.equal(code, 0, `${line}: ${talk}`)
  return out === '' ? undefined : JSON.parse(out)
}

const refused = (line: string, why: RegExp, input?: string) => assert.rejects(aloft(line, input), why)

test('projects and their variables', async () => {
  const { id } = await aloft('projects add shop --framework nextjs')
  await refused('projects add shop', /"code":"conflict".*"hint":"Choose another name/)
  assert.equal((await aloft('projects ls --search sho')).projects[0].id, id)
  assert.equal((await aloft('projects rename shop store')).name, 'store')
  assert.equal((await aloft('projects inspect store')).framework, 'nextjs')

  const { uid } = await aloft('secrets add db', 'hunter2')
  await refused('secrets add db', /secret_already_exists/, 'hunter2')
  await aloft('env add KEY --project store', 'first\n')
  await refused('env add KEY production --project store', /ENV_ALREADY_EXISTS.*--force/, 'x')
  await aloft('env add KEY production --force --project store', 'second')
  await aloft('env add DB --secret db --project store')
  await aloft('env add TOKEN --sensitive --project store', 't0ken')
  writeFileSync(join(home, 'some.env'), 'ONE=1\nKEY="a # b"\n')
  assert.deepEqual((await aloft('env push some.env --project store')).changed, ['KEY'])

  const listed = JSON.stringify(await aloft('env ls --project store'))
  assert.doesNotMatch(listed, /first|second|hunter2|t0ken|"value"/)
  const { envs } = await aloft('env ls --reveal --project store')
  const shown = envs.map(({ key, value, target }: Record<string, unknown>) => [key, value, target])
  for (const expected of [
    ['KEY', 'first', ['preview']],
    ['KEY', 'second', ['production']],
    ['KEY', 'a # b', ['development']],
  ])
    assert.ok(
      shown.some((one: unknown) => JSON.stringify(one) === JSON.stringify(expected)),
      `${expected}`,
    )
  assert.ok(shown.some(([key, value]: string[]) => key === 'DB' && value === uid))

  const { written, leftOut } = await aloft('env pull --project store')
  assert.deepEqual([written, leftOut], [['KEY', 'ONE'], ['DB']])
  assert.match(readFileSync(join(home, '.env.local'), 'utf8'), /^KEY='a # b'\nONE=1\n$/m)
  await aloft('env rm KEY production --project store')
  await aloft('env rm KEY --project store')
  await refused('env rm KEY --project store', /not_found/)

  assert.equal((await aloft('secrets rename db database')).oldName, 'db')
  await aloft('secrets rm database')
  assert.equal((await aloft('secrets ls')).secrets.length, 0)
  await aloft('projects rm store')
  await refused('projects inspect store', /not_found/)
})

test('domains, their DNS records and projects', async () => {
  await aloft('projects add blog')
  const { verified, intendedNameservers } = await aloft('domains add example.com')
  assert.equal(verified, false)
  assert.ok(intendedNameservers.length > 0)
  await refused('domains verify example.com', /verification_failed.*domains inspect/)
  assert.equal((await aloft('domains inspect example.com')).verified, false)
  assert.equal((await aloft('domains ls')).domains[0].name, 'example.com')

  const { uid } = await aloft('dns add example.com @ MX 10 mail.example.com')
  await refused('dns add example.com @ MX 10 mail.example.com', /record_conflict/)
  writeFileSync(
    join(home, 'zone'),
    '$ORIGIN example.com.\n@ MX 10 mail\nwww 60 IN A 192.0.2.1\n@ TXT "v=spf1 " "-all"\n',
  )
  const { added, present } = await aloft('dns import example.com zone')
  assert.deepEqual([added.length, present.length], [2, 1])
  assert.equal((await aloft('dns import example.com zone')).present.length, 3)
  await aloft(`dns rm example.com ${uid}`)
  const { records } = await aloft('dns ls example.com')
  assert.deepEqual(
    records
      .filter(({ creator }: { creator: string }) => creator !== 'system')
      .map(({ type, name, value }: Record<string, string>) => `${name} ${type} ${value}`)
      .sort(),
    [' TXT v=spf1 -all', 'www A 192.0.2.1'],
  )

  await aloft('domains attach www.example.com blog')
  const [attached] = (await aloft('projects domains blog')).domains
  assert.equal(attached.name, 'www.example.com')
  await aloft('domains detach www.example.com blog')
  await refused('certs issue example.com', /domain_not_verified.*Verify the domain/)
  await refused('certs rm cert_nope', /cert_not_found/)
  assert.deepEqual((await aloft('certs ls')).certs, [])
  assert.deepEqual((await aloft('alias ls --project blog')).aliases, [])
  await refused('alias set dpl_nope beta', /deployment_not_found/)
  await aloft('domains rm example.com')
})

test('webhooks and log drains', async () => {
  const hook = await aloft('webhooks add https://example.com/hook deployment.ready')
  assert.ok(hook.secret)
  await refused('webhooks add https://example.com/hook nope', /invalid_event/)
  assert.equal((await aloft('webhooks ls'))[0].secret, undefined)
  assert.deepEqual((await aloft(`webhooks deliveries ${hook.id}`)).deliveries, [])
  await refused(`webhooks redeliver ${hook.id} whd_nope`, /not_found/)
  await aloft(`webhooks rm ${hook.id}`)

  await refused('drains add https://127.0.0.1/in --format ndjson', /invalid_url/)
  assert.deepEqual(await aloft('drains ls'), [])
})
