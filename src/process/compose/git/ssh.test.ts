import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createVault } from '#adapters/vault-aes/vault.ts'
import { type HostKey, isReadable, newHostKey } from '#ssh/host-key.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { ensureHostKey } from './ssh.ts'
import { SSH_HOST_KEY } from './ssh-address.ts'

eachDatabase((name, open) =>
  describe(`the host key on ${name}`, () => {
    it('is replaced once if no server can start with it, and then stays', async (t) => {
      const one = await openStores(t, open)
      const vault = createVault(randomBytes(32))
      const [here, there] = [one, await one.again()].map(({ stores }) => ({ stores, vault }))
      if (here === undefined || there === undefined) assert.fail()
      const { privateKey, publicKey } = newHostKey()
      const unreadable: HostKey = { privateKey: privateKey.replace(/\n.{8}/, '\nAAAAAAAA'), publicKey }
      assert.equal(isReadable(unreadable), false)
      await here.stores.settings.set(SSH_HOST_KEY, vault.seal(JSON.stringify(unreadable), SSH_HOST_KEY))

      const found = await Promise.all([here, there, here, there].map((parts) => ensureHostKey(parts)))
      const [key = assert.fail()] = found
      assert.ok(isReadable(key))
      assert.deepEqual(found, Array(4).fill(key), 'all agree')
      assert.deepEqual(await ensureHostKey(there), key)
    })
  }),
)
