import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { EMPTY_SHA256, encodePath, sign } from './signature.ts'

// The examples of "Signature Calculations for the Authorization Header" in the reference of Amazon S3.
const credentials = { keyId: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const host = 'examplebucket.s3.amazonaws.com'
const now = Date.UTC(2013, 4, 24)
const signatureOf = (headers: Record<string, string>) => headers.authorization?.split('Signature=')[1]

test('a request for a range is signed as the reference says', () => {
  const request = { method: 'GET', host, path: '/test.txt', query: {}, bodySha256: EMPTY_SHA256 }
  assert.equal(
    signatureOf(sign({ ...request, headers: { range: 'bytes=0-9' } }, credentials, 'us-east-1', now)),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})

test('an upload is signed as the reference says', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
  const bodySha256 = hash('sha256', 'Welcome to Amazon S3.')
  const request = { method: 'PUT', host, path: '/test$file.text', query: {}, headers, bodySha256 }
  assert.equal(
    signatureOf(sign(request, credentials, 'us-east-1', now)),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
})

test('queries are signed as the reference says', () => {
  const request = { method: 'GET', host, path: '/', headers: {}, bodySha256: EMPTY_SHA256 }
  assert.equal(
    signatureOf(sign({ ...request, query: { prefix: 'J', 'max-keys': '2' } }, credentials, 'us-east-1', now)),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  )
  assert.equal(
    signatureOf(sign({ ...request, query: { lifecycle: '' } }, credentials, 'us-east-1', now)),
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  )
})

test('a path keeps its slashes and nothing else that is not plain', () => {
  assert.equal(encodePath("/a b/(ü)'*!"), '/a%20b/%28%C3%BC%29%27%2A%21')
})
