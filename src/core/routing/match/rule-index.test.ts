import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchPattern, type Pattern, readPattern, toSubject } from '../pattern/pattern.ts'
import { candidatesFor, indexPatterns, nextCandidate } from './rule-index.ts'

function pattern(src: string): Pattern {
  const read = readPattern(src)
  assert.ok(read.ok)
  return read.pattern
}

function candidates(sources: readonly string[], path: string): number[] {
  const found = candidatesFor(indexPatterns(sources.map(pattern)), toSubject(path).folded)
  const places: number[] = []
  for (let place = nextCandidate(found, 0); place !== undefined; place = nextCandidate(found, place + 1))
    places.push(place)
  return places
}

test('a path meets the patterns that are it, that begin with its segment, and those that can be anything', () => {
  const sources = ['/a', '/b', '/a/(.*)', '/b/(.*)', '/(.*)', '/A', '/ab?', 'a', '/a/b']
  assert.deepEqual(candidates(sources, '/A'), [0, 4, 5, 6, 7])
  assert.deepEqual(candidates(sources, '/a/b'), [2, 4, 6, 8])
  assert.deepEqual(candidates(sources, '/'), [4, 6])
})

test('no pattern that matches is left out, and the order is kept', () => {
  const source = fc
    .array(fc.constantFrom('/', 'a', 'B', '(.*)', '[^/]+', 'a?', '(a|b)', '/a/', '.*'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(''))
  const path = fc
    .array(fc.constantFrom('/', 'a', 'b', 'A'), { maxLength: 5 })
    .map((parts) => `/${parts.join('')}`)
  fc.assert(
    fc.property(fc.array(source), path, (sources, asked) => {
      const found = candidates(sources, asked)
      assert.deepEqual(
        found,
        found.toSorted((a, b) => a - b),
      )
      for (const [place, src] of sources.entries())
        if (matchPattern(pattern(src), toSubject(asked), { left: 1e6 }) !== undefined)
          assert.ok(found.includes(place), `${src} on ${asked}`)
    }),
  )
})
