import assert from 'node:assert/strict'
import { test } from 'node:test'
import { x509 } from '#test/support/tls/x509.ts'
import { acmeLibrary } from './acme-library.ts'

test('it loads beside our own certificate library, works, and leaves no global changed', async () => {
  const globals = Object.keys(globalThis)
  const [reflect, reflected] = [Reflect, Reflect.ownKeys(Reflect)]
  const { crypto } = acmeLibrary()
  assert.deepEqual(Object.keys(globalThis), globals)
  assert.equal(Reflect, reflect)
  assert.deepEqual(Reflect.ownKeys(Reflect), reflected)
  assert.equal(acmeLibrary().crypto, crypto)

  assert.notEqual(x509().X509Certificate, undefined)
  const key = await crypto.createPrivateEcdsaKey('P-256')
  const [, csr] = await crypto.createCsr({ altNames: ['*.a.test'] }, key)
  assert.deepEqual(crypto.readCsrDomains(csr).altNames, ['*.a.test'])
})
