import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameworks } from '@vercel/frameworks'
import { PRESETS } from '#src/dashboard/setting/build/presets.ts'

/** What the page says of a framework is what the builder does, which has it from this list. */
test('the presets that settings show are those that builds follow', () => {
  const shown = (setting: { placeholder?: string; value?: string | null } | undefined): string =>
    (setting?.placeholder || setting?.value || '').replaceAll('`', '')
  for (const [slug, { name, ...preset }] of Object.entries(PRESETS)) {
    const framework = frameworks.find((each) => each.slug === slug)
    assert.ok(framework, slug)
    const { buildCommand, outputDirectory, devCommand } = framework.settings
    assert.deepEqual(
      { name, ...preset },
      {
        name: framework.name,
        build: shown(buildCommand),
        output: shown(outputDirectory),
        dev: shown(devCommand as { value?: string }),
      },
      slug,
    )
  }
})
